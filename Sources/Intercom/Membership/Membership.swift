public import Cryptography
import EventLoop
public import Mesh
public import StatusSchema

/// Who belongs to this node's intercom: runs the ``Mesh`` and carries out what it decides.
///
/// Control connections, discovery, the network's changes and the user tell it what happens (``handle(_:)`` and the
/// calls beside it); it tells the media path who may be heard and by which keys, by a task of its own, so that a loop
/// that is busy holds up no connection.
///
/// **Keys.** The media path's first key is handed out from the start. When somebody left, the next one is made, handed
/// to the members, and used ``keyLeadTime`` later; until then both are given to whoever joins. A roll that becomes
/// necessary meanwhile follows at once.
public actor Membership {
  /// From handing a key out to its use.
  ///
  /// A TCP segment that is lost twice is sent a third time after 600 ms (RFC 6298 §2 and §5.5,
  /// with Linux' least time-out of 200 ms). With the 250 ms before, the key is another within a second.
  static let keyLeadTime = Duration.milliseconds(650)
  /// Before a write that failed is repeated: the disk may have room again, or the share be back.
  static let keepingPause = Duration.seconds(10)
  /// Before a roll that failed is tried again.
  private static let rollPause = Duration.seconds(1)

  let mesh: Mesh
  private let parts: MembershipParts
  let media: any MediaGate
  private let now: @Sendable () -> Int64
  private let pause: @Sendable (Duration) async throws -> Void
  private var directory: NodeDirectory
  private var ledger = MediaLedger()
  private var keeping = MemoryKeeping()
  private var recorders = RecordingNews()
  private var twins = TwinWatch()
  /// When the user last read of peers that fail again and again.
  private var failures = TellingInterval<PeerTarget>(seconds: 3600)
  /// Writes what is to be kept.
  private var keepingTask: Task<Void, Never>?
  /// Waits to write again what could not be written.
  private var keepingRetry: Task<Void, Never>?
  private var tasks: [Task<Void, Never>] = []
  private var alarm: Alarm
  private var rollTask: Task<Void, Never>?
  /// Streams whose keys are to change.
  private var dueRolls: Set<Int> = []
  private var hasLeft = false

  /// A membership of a node that protects its media; begins with ``start()``.
  public init(configuration: MeshConfiguration, node: Intercom, parts: MembershipParts) {
    self.init(configuration: configuration, media: node, parts: parts)
  }

  init(
    configuration: MeshConfiguration, media: any MediaGate, parts: MembershipParts,
    random: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(),
    now: @escaping @Sendable () -> Int64 = EventLoop.nowNanoseconds,
    pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    mesh = Mesh(configuration, random: random)
    self.media = media
    self.parts = parts
    directory = NodeDirectory(names: parts.names)
    self.now = now
    self.pause = pause
    alarm = Alarm(pause: pause)
  }

  /// The application lanes to all members, for whatever they have to say beside membership.
  public nonisolated var lane: any ApplicationLane { parts.transport.lane }

  /// Hands the first key out and begins.
  public func start() async {
    let (nodes, writes, store) = (ledger.outdatedNodes, keeping.writes, parts.store)
    let media = media
    keepingTask = Task { [weak self] in
      for await write in writes {
        let problem = await store(write.memory)
        await self?.isKept(write.change, problem: problem)
      }
    }
    tasks = [
      Task { [weak self] in
        for await node in nodes { await self?.synchronise(node) }
      },
      Task { [weak self] in
        for await node in media.knocks { await self?.handle(.knocked(node)) }
      },
    ]
    if let key = await media.ownKey(of: 0) { handle(.share(key, with: .everyone)) }
  }

  /// Says goodbye to all members, and ends; what is to be kept may still be written then (``finishKeeping()``).
  public func leave() async {
    guard !hasLeft else { return }
    handle(.leave)
    hasLeft = true
    alarm.cancel()
    rollTask?.cancel()
    ledger.finish()
    keepingRetry?.cancel()
    keeping.end(mesh.memory)
    tasks.last?.cancel()
    for task in tasks { await task.value }
  }

  /// Waits until all is kept, or cannot be, after ``leave()``: for ever, where a disk does not answer.
  public func finishKeeping() async { await keepingTask?.value }

  /// Takes what happened.
  public func handle(_ event: MeshEvent) {
    guard !hasLeft || event.isConnection else { return }
    for action in mesh.handle(event, nowNanoseconds: now()) { perform(action) }
    schedule()
  }

  /// Has the mesh woken when it wants to be.
  private func schedule() {
    let deadline = hasLeft ? .max : mesh.nextDeadlineNanoseconds
    alarm.set(toNanoseconds: deadline, nowNanoseconds: now()) { [weak self] in await self?.tick() }
  }

  private func tick() {
    alarm.rang()
    handle(.tick)
  }

  /// Makes other keys of these streams and hands them out; one roll at a time.
  func rollKeys(_ streams: [Int]) {
    dueRolls.formUnion(streams)
    guard rollTask == nil, !hasLeft else { return }
    rollTask = Task { [weak self] in
      while await self?.roll() == true {}
    }
  }

  /// One roll; false when none was due.
  private func roll() async -> Bool {
    guard !dueRolls.isEmpty, !hasLeft else {
      rollTask = nil
      return false
    }
    let due = dueRolls
    dueRolls = []
    do {
      var next: [MediaKey] = []
      for stream in due.sorted() {
        // What is closed meanwhile has no next key.
        guard let key = try await media.makeNextKey(of: stream),
          let listeners = mesh.listeners(of: stream)
        else { continue }
        handle(.share(key, with: listeners))
        next.append(key)
      }
      try await pause(Self.keyLeadTime)
      for key in next {
        await media.useNextKey(of: key.stream)
        handle(.retireKeys(stream: key.stream, beforeEpoch: key.epoch))
      }
    } catch is CancellationError {
      rollTask = nil
      return false
    } catch {
      parts.report(.fault("cannot replace the media key, trying again: \(error)"))
      dueRolls.formUnion(due)
      try? await pause(Self.rollPause)
    }
    return true
  }

  func perform(_ action: MeshAction) {
    switch action {
    case .dial(let attempt, let address): dial(attempt, address)
    case .abandon(let attempt): parts.transport.abandon(attempt)
    case .close(let connection, _): parts.transport.close(connection)
    case .send(let message, let connection): parts.transport.send(message, on: connection)
    case .raise(let connection): parts.transport.raiseLimit(of: connection)
    case .resolve(let target): resolve(target)
    case .knock(let other, let addresses):
      let addresses = addresses.compactMap(SocketAddress.init).filter(takes)
      // Knocks are as good late as never, and few (``Mesh``).
      Task { [media, node = mesh.node] in await media.sendKnocks(at: other, addresses, as: node) }
    case .listen(let node): Task { await listen(to: node) }
    case .admitted, .changed, .departed, .mediaKey, .streamEnded, .forgotten:
      performMembers(action)
    case .invited, .invitationEnded, .declined, .stranger: performStrangers(action)
    case .rollKeys(let streams): rollKeys(streams)
    case .rebuilt(let target): tellFailure(of: target)
    case .twin(let instance, let teller, let address):
      noteTwin(instance, toldBy: teller, at: address.flatMap(SocketAddress.init))
    case .ourselves(let address):
      let peer = address.flatMap(SocketAddress.init)
      parts.report(.ourselves(peer: peer?.description ?? "its own address"))
    case .store: keeping.store(mesh.memory)
    }
  }

  /// Who could be connected over IPv6 only could not be heard by a node whose media socket takes none.
  private func dial(_ attempt: AttemptID, _ address: NodeAddress) {
    guard let target = SocketAddress(address), takes(target) else {
      Task { handle(.failed(attempt)) }
      return
    }
    parts.transport.dial(attempt, address)
  }

  private func performMembers(_ action: MeshAction) {
    switch action {
    case .admitted(let member):
      directory.endStranger(member.node)
      parts.report(
        .admitted(member.node, name: member.profile.name, isInGroup: member.isInGroup))
      admit(member)
    case .changed(let member): admit(member)
    case .departed(let node, let reason):
      let name = directory.name(of: node)
      if reason.isForGood { parts.transport.endLane(of: node) }
      ledger.expel(node, saidGoodbye: reason == .goodbye)
      parts.report(.departed(node, name: name, reason))
    case .mediaKey(let node, let key): ledger.add(.key(key), of: node)
    case .streamEnded(let node, let stream): ledger.add(.end(stream), of: node)
    case .forgotten(let node, let teller):
      parts.report(
        .forgotten(node, name: directory.name(of: node), by: directory.name(of: teller)))
      directory.forgetName(of: node)
      ledger.freeName(of: node)
    default: break
    }
  }

  private func performStrangers(_ action: MeshAction) {
    switch action {
    case .invited(let invitation):
      directory.add(invitation)
      parts.report(.invited(invitation.node, name: invitation.profile.name))
    case .invitationEnded(let node):
      directory.endInvitation(of: node)
      parts.report(.invitationEnded(node))
    case .declined(let node, let words): parts.report(.declined(node, words: words))
    case .stranger(let node, let profile):
      directory.addStranger(node, name: profile.name)
      parts.report(.stranger(node, name: profile.name))
    default: break
    }
  }

  /// Looks up where a peer is; a node is where discovery sees it, which asks anew beside that.
  private func resolve(_ target: PeerTarget) {
    guard case .named(let number) = target else {
      if case .node(let node) = target {
        parts.rediscover(node)
        // Not now: the mesh is handing out what it decided.
        Task { handle(.resolved(target, directory.announced[node]?.addresses ?? [])) }
      }
      return
    }
    guard let peer = directory.named[number] else { return }
    let resolve = parts.resolve
    Task { [weak self] in
      do throws(AddressError) {
        await self?.found(try await resolve(peer), number)
      } catch {
        await self?.found([], number, reason: "\(error)")
      }
    }
  }

  private func found(_ addresses: [SocketAddress], _ number: Int, reason: String? = nil) {
    guard let peer = directory.named[number] else { return }
    let reachable = addresses.filter(takes)
    let problem = directory.takeLookUp(
      of: number, found: addresses.count, reachable: reachable.count, reason: reason)
    if let problem { parts.report(.unresolved(peer: peer, reason: problem)) }
    handle(.resolved(.named(number), reachable.map(NodeAddress.init)))
  }

  /// Once an hour of each: who is away for good fails again and again.
  private func tellFailure(of target: PeerTarget) {
    guard failures.tells(target, nowNanoseconds: now()) else { return }
    parts.report(.rebuilt(peer: directory.words(for: target)))
  }

  private func takes(_ to: SocketAddress) -> Bool { parts.takesIPv6 || to.family == .ipv4 }

  /// Its heartbeats do not come; whether it is gone, the media path knows better.
  func listen(to node: NodeID) async {
    guard let nanoseconds = await media.heardNanoseconds(of: node) else { return }
    handle(.sounded(node, atNanoseconds: nanoseconds))
  }

  /// The media path need not know where this node cannot send to.
  private func admit(_ member: Member) {
    var member = member
    member.profile.mediaAddresses.removeAll { SocketAddress($0).map(takes) != true }
    directory.note(member.profile.name, of: member.node)
    ledger.admit(member)
    tellRecording(by: member.node)
  }

  /// Reports whether a member records, if that changed.
  private func tellRecording(by node: NodeID) {
    guard let member = ledger.member(node) else { return }
    let verdict = recorders.take(
      node, isRecording: member.profile.isRecording, nowNanoseconds: now())
    switch verdict {
    case .nothing: break
    case .tell:
      parts.report(.recording(node, name: member.profile.name, member.profile.isRecording))
    case .wait(let nanoseconds):
      Task { [weak self, pause] in
        guard (try? await pause(.nanoseconds(nanoseconds))) != nil else { return }
        await self?.tellUntold(of: node)
      }
    }
  }

  private func tellUntold(of node: NodeID) {
    recorders.endWait(for: node)
    tellRecording(by: node)
  }

  private func noteTwin(_ instance: UInt64, toldBy teller: NodeID, at address: SocketAddress?) {
    let twin = IdentityTwin(
      instance: instance, isLater: instance > mesh.instance,
      toldBy: teller == mesh.node ? "" : directory.name(of: teller), address: address)
    if twins.take(twin, nowNanoseconds: now()) { parts.report(.twin(twin)) }
  }

  /// Brings the media path up to date on a node; one call at a time.
  private func synchronise(_ node: NodeID) async {
    ledger.begin(node)
    while let step = ledger.next(for: node) {
      switch step {
      case .expel(let saidGoodbye): await media.expel(node, saidGoodbye: saidGoodbye)
      case .freeName: await media.freeName(of: node)
      case .admit(let member):
        if await !media.admit(member) { ledger.refuse(node) }
      case .tell(let news):
        do {
          switch news {
          case .key(let key): try await media.install(key, of: node)
          case .end(let stream): await media.endStream(stream, of: node)
          }
        } catch {
          guard let name = ledger.takeFault(of: node) else { continue }
          parts.report(.fault("the media key of \(name) is invalid: \(error)"))
        }
      }
    }
    ledger.end()
  }

  /// Waits until the media path has all decisions so far: blocked nodes are no longer heard.
  public func mediaKnows() async { await withCheckedContinuation { ledger.wait($0) } }

  /// Waits until all decisions so far are saved, or cannot be.
  ///
  /// - Returns: why it holds for this run only, in words; nil: it is kept.
  public func keepingProblem() async -> String? {
    await withCheckedContinuation { keeping.wait($0) }
  }

  /// Handles a finished write, successful or not.
  private func isKept(_ change: Int, problem: String?) {
    keeping.isOver(change, problem: problem)
    keepingRetry?.cancel()
    keepingRetry = nil
    guard problem != nil, !hasLeft else { return }
    keepingRetry = Task { [weak self, pause] in
      guard (try? await pause(Self.keepingPause)) != nil else { return }
      await self?.storeAgain()
    }
  }

  private func storeAgain() {
    if keeping.isTrouble, !hasLeft { keeping.write(mesh.memory) }
  }
}

/// What the user and the surroundings say.
extension Membership {
  /// Calls whoever answers at an address, `HOST:PORT`, from now on.
  public func name(_ peer: String) {
    handle(.named(directory.add(peer), []))
  }

  /// Discovery sees a node, by a name that anybody could give.
  public func discover(_ announcement: Announcement, name: String) {
    directory.discover(announcement.node, at: announcement.addresses, name: name)
    handle(.discovered(announcement))
  }

  /// Discovery sees it no more.
  public func lose(_ node: NodeID) {
    directory.lose(node)
    handle(.lost(node))
  }

  /// Trusts a node that a PIN vouches for, and calls it where it was reached, if it was.
  public func trust(_ node: NodeID, at addresses: [NodeAddress]) {
    handle(.accept(node))
    guard !addresses.isEmpty else { return }
    handle(.discovered(Announcement(node: node, addresses: addresses)))
  }

  /// Where somebody is whom the user names: by name, words or ID as discovery sees it, or by `HOST:PORT`.
  ///
  /// - Throws: `IntercomError.refused` where several nodes are called so.
  public func addresses(of peer: String) async throws(IntercomError) -> [NodeAddress] {
    do throws(IntercomError) {
      let node = try await find(peer)
      let addresses = directory.announced[node]?.addresses ?? mesh.addresses(of: node)
      if !addresses.isEmpty { return addresses }
    } catch {
      if case .refused = error { throw error }
    }
    guard let found = try? await parts.resolve(peer) else { return [] }
    return found.map(NodeAddress.init)
  }

  /// Lets a node in that asks.
  ///
  /// By its name only who asks: names are what anybody says.
  public func accept(_ peer: String) async throws(IntercomError) {
    let node = try await find(peer, among: directory.invitations)
    try refuseBlocked(node, peer)
    handle(.accept(node))
  }

  /// Does not let a node in that asks.
  public func decline(_ peer: String) async throws(IntercomError) {
    let node = try await find(peer, among: directory.invitations)
    guard directory.invitations[node] != nil else {
      throw .refused("\(peer) does not ask to be let in; comlink peers lists the nodes that do")
    }
    handle(.decline(node))
  }

  /// Asks a node to let us in, and trusts it.
  public func invite(_ peer: String) async throws(IntercomError) {
    let node = try await find(peer)
    try refuseBlocked(node, peer)
    directory.endStranger(node)
    handle(.invite(node))
  }

  /// Takes trust, or a block, back.
  ///
  /// Who is neither blocked nor a member then has no claim to its name any more, at any member.
  public func forget(_ peer: String) async throws(IntercomError) {
    let node = try await find(peer)
    let wasBlocked = mesh.memory.blocked.contains(node)
    handle(.forget(node))
    if !wasBlocked { ledger.freeName(of: node) }
  }

  /// Keeps a node out for good.
  public func block(_ peer: String) async throws(IntercomError) {
    handle(.block(try await find(peer)))
  }

  /// Everybody who is a member, asks to be one, is trusted or blocked, or is looked for.
  ///
  /// By the names that mixer and JACK's ports have: of members of one name each has another.
  public var knownNodes: [KnownNodeStatus] {
    get async { known(by: await media.calledNames()).all }
  }

  private func known(by called: [NodeID: String]) -> KnownNodes {
    KnownNodes(mesh: mesh, directory: directory, called: called, nowNanoseconds: now())
  }

  private func refuseBlocked(_ node: NodeID, _ peer: String) throws(IntercomError) {
    guard mesh.memory.blocked.contains(node) else { return }
    throw .refused("\(peer) is blocked; lift the block with comlink forget")
  }

  /// Who the user means, see ``NodeSearch``; by a whole ID also somebody who is not known.
  ///
  /// - Parameter invitations: who may be meant by name; nil: everybody.
  func find(
    _ text: String, among invitations: [NodeID: Invitation]? = nil
  ) async throws(IntercomError) -> NodeID {
    if let node = NodeID(text: text) { return node }
    return try known(by: await media.calledNames()).find(text, among: invitations)
  }

  /// Another start of this node's identity; nil: there is none, or it was not heard of for some minutes.
  public var twin: IdentityTwin? { twins.twin(nowNanoseconds: now()) }
}
