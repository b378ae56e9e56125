internal import Audio
internal import Captions
internal import Cryptography
internal import EventLoop
internal import Intercom
internal import Lines
internal import Logging
internal import Mesh
internal import Remote
internal import Speech
internal import SpeechLink
internal import StatusSchema

/// Where a captioner gets its sound; a test has its own.
protocol CaptionDoor: Sendable {
  /// Makes tapes of all talkers, or of a mix.
  func makeDeck(
    keepsTalkers: Bool, keepsMix: Bool, buses: [String]
  ) async throws(IntercomError) -> TapeDeck
  /// Puts sound on them.
  func record(on deck: TapeDeck) async
  /// Puts nothing on them any more.
  func endRecording(on deck: TapeDeck) async
}

extension Intercom: CaptionDoor {}

/// The captions of a node: brings what ``CaptionDesk`` decides to the lanes, the log and those who look, and what the
/// node hears to a recogniser while it captions.
///
/// On Swift's ordinary pool. While it captions, sound is looked at each 20 ms.
actor CaptionService {
  private static let look = Duration.milliseconds(20)
  /// Each so many looks it is looked at who talks to whom.
  private static let looksAtPlaces = 4

  /// What the service is made of.
  struct Surroundings: Sendable {
    let own: NodeID
    let instance: UInt64
    let settings: SpeechSettings
    /// Where transcripts are kept as files; nil: nowhere.
    var transcripts: String?
    /// Of the node's state; nil: it has none.
    let directory: String?
    /// Whether the policy lets everybody in, so that those in no group are as one.
    let isOpen: Bool
    let door: any CaptionDoor
    let lines: LineService
    let log: Logger
    /// Whether it captions by itself for who reads.
    var offersCaptions = false
    /// Signs hosted sessions as this node.
    let signer: CaptionSigner
    let battery = BatteryWatch()
  }

  let parts: Surroundings
  let link: SpeechLink?
  var membership: Membership?
  var desk: CaptionDesk
  var hosted: HostedSessions
  var offer: CaptionOffering
  /// Those that the user left: nothing joins them again by itself.
  var leftSessions: Set<CaptionSessionKey> = []
  var directory: CaptionDirectory
  var journal = CaptionJournal()
  var captioner: Captioner?
  /// Of captioners before.
  private var lostFrames = 0
  var changed: @Sendable () -> Void = {}
  private var outlet: CaptionOutlet
  private var alarm = Alarm()
  private var told = TellingInterval<CaptionFault>(seconds: 60)
  private var waiters = CaptionWaiters()
  var hasFinished = false
  var transcripts: TranscriptKeeper?
  var keeping: CaptionKeeping
  private nonisolated let news = AsyncStream<MembershipEvent>.makeStream()

  /// - Parameter keepDays: how long what is read here is kept to be searched; 0: not at all.
  init(_ parts: Surroundings, refuses: Bool, keepDays: Int) {
    self.parts = parts
    let speech = parts.settings
    link =
      speech.asr == nil ? nil : SpeechLink(allowing: speech.allow, language: speech.language)
    desk = CaptionDesk(own: parts.own, instance: parts.instance, refuses: refuses)
    offer = CaptionOffering(isOn: parts.offersCaptions && parts.settings.asr != nil)
    hosted = HostedSessions(instance: parts.instance, signer: parts.signer)
    directory = CaptionDirectory(own: parts.own, isOpen: parts.isOpen)
    // Numbers of the lane are below 2⁶²; no other run has these.
    outlet = CaptionOutlet(sequence: (parts.instance & 0x3F_FFFF_FFFF) << 24)
    keeping = CaptionKeeping(
      CaptionArchive(directory: parts.directory, log: parts.log), days: keepDays)
    transcripts = parts.transcripts.map { TranscriptKeeper(folder: TranscriptFolder(path: $0)) }
  }

  /// Takes the channel, and follows the membership.
  ///
  /// - Parameter changed: called when something changed that people see; must not block.
  func start(_ membership: Membership, changed: @escaping @Sendable () -> Void) {
    (self.membership, self.changed) = (membership, changed)
    attach(membership.lane)
  }

  func attach(_ lane: any ApplicationLane) {
    outlet.lane = lane
    lane.open(.captions) { [weak self] message in await self?.take(message) }
    Task { [weak self, stream = news.stream] in
      for await event in stream { await self?.take(event) }
    }
  }

  /// A member comes or goes.
  ///
  /// Any thread; does not wait.
  nonisolated func note(_ event: MembershipEvent) { news.continuation.yield(event) }

  /// Ends captions, and the waiting of all who wait.
  func finish() async {
    hasFinished = true
    await stopCaptioner()
    link?.stop()
    alarm.cancel()
    waiters.wakeAll()
    await writeAllTranscripts()
    await stopKeeping()
  }

  // MARK: What happens

  private func take(_ event: MembershipEvent) async {
    switch event {
    case .admitted(let node, let name, _):
      directory.names[node] = name
      desk.join(node, nowNanoseconds: EventLoop.nowNanoseconds())
      hosted.join(node, nowNanoseconds: EventLoop.nowNanoseconds())
    case .departed(let node, _, _):
      captioner?.drop(node)
      desk.settleAll(of: node)
      hosted.settleAll(of: node)
      desk.leave(node)
      hosted.leave(node, nowNanoseconds: EventLoop.nowNanoseconds())
    default: return
    }
    await followPlaces()
    settle()
    await followReaders()
  }

  private func take(_ message: LaneMessage) {
    let (sender, now) = (message.key.sender, EventLoop.nowNanoseconds())
    if HostedSessions.takes(message.octets) {
      hosted.take(
        message.octets, from: sender, nowNanoseconds: now, refusing: desk.refusesSinceNanoseconds)
    } else {
      desk.take(message.octets, from: sender, nowNanoseconds: now)
    }
    for node in desk.refusers { hosted.settleAll(of: node) }
    if let captioner { for node in desk.refusers { captioner.drop(node) } }
    settle()
  }

  /// These share groups' secrets with this node.
  func follow(groups: [String: Set<NodeID>]) async {
    directory.groups = groups
    await followPlaces()
    settle()
  }

  /// Takes who is on which lines now, and what members are called.
  ///
  /// Lines change without a word here: looked at while it captions, and when members come.
  func followPlaces() async {
    (directory.lines, directory.talksAlone) = await parts.lines.talk
    if let membership {
      directory.profiles = await membership.profiles
      directory.ownProfile = await membership.ownProfile
    }
    for node in directory.profiles.keys {
      let places = directory.places(of: node)
      desk.follow(node, hears: places)
      hosted.follow(node, hears: places, in: directory.groups(of: node))
    }
    followSessions()
  }

  func settle() {
    var isChanged = false
    for event in desk.takeEvents() {
      isChanged = true
      tell(event)
    }
    for event in hosted.takeEvents() {
      isChanged = true
      tell(event)
    }
    for node in desk.takeWoken().union(hosted.takeWoken()) { begin(node) }
    schedule()
    guard isChanged else { return }
    waiters.wakeAll()
    changed()
  }

  private func tell(_ event: CaptionEvent) {
    switch event {
    case .chunk(let key, let index):
      journal.note(key, index)
      noteTranscript(of: key)
    case .forgotten(let key):
      journal.forget(key)
      transcripts?.forget(key)
      keeping.forget(key)
    case .session(let key):
      journal.note(key, of: desk.transcripts[key])
      noteTranscript(of: key)
      guard let transcript = desk.transcripts[key] else { return }
      parts.log.event(
        transcript.isLive ? .captionsBegan : .captionsEnded,
        transcript.isLive ? "what is said is captioned" : "captions ended, or their maker is away",
        ["captioner": "\(name(of: key.captioner))", "scope": "\(transcript.scope)"])
    case .refused(let node, let fault): tellRefused(fault, of: node)
    }
  }

  func tellRefused(_ fault: CaptionFault, of node: NodeID) {
    let isNew = told.tells(fault, nowNanoseconds: EventLoop.nowNanoseconds())
    parts.log.event(
      .captionsRefused, at: isNew ? .warning : .debug, "refused \(fault.words)",
      ["peer": "\(name(of: node))"])
  }

  func name(of node: NodeID) -> String { directory.name(of: node) }

  private func begin(_ node: NodeID) {
    guard outlet.lane != nil, outlet.pumping.insert(node).inserted else { return }
    Task { await pump(node) }
  }

  private func pump(_ node: NodeID) async {
    while let lane = outlet.lane, let octets = next(for: node) {
      let sequence = outlet.nextSequence()
      guard (try? await lane.send(octets, on: .captions, to: node, sequence: sequence)) != nil
      else {
        desk.failed(node, nowNanoseconds: EventLoop.nowNanoseconds())
        hosted.failed(node, nowNanoseconds: EventLoop.nowNanoseconds())
        break
      }
    }
    outlet.pumping.remove(node)
    schedule()
  }

  private func next(for node: NodeID) -> [UInt8]? {
    let now = EventLoop.nowNanoseconds()
    return desk.next(for: node, nowNanoseconds: now) ?? hosted.next(for: node, nowNanoseconds: now)
  }

  private func schedule() {
    alarm.set(
      toNanoseconds: min(
        desk.nextDeadlineNanoseconds, hosted.nextDeadlineNanoseconds, offer.deadlineNanoseconds),
      nowNanoseconds: EventLoop.nowNanoseconds()
    ) { [weak self] in await self?.tick() }
  }

  private func tick() async {
    alarm.rang()
    await followPlaces()
    desk.tick(nowNanoseconds: EventLoop.nowNanoseconds())
    hosted.tick(nowNanoseconds: EventLoop.nowNanoseconds())
    settle()
    await followReaders()
  }

  private func wake(_ number: UInt64) { waiters.wake(number) }

  // MARK: What people ask for

  /// Begins to caption.
  func caption(line: String?, members: [String]) async throws(CaptionProblem) {
    let scope = try await scope(line, members)
    try await beginCaptioner(scope) { service throws(CaptionProblem) in
      do throws(CaptionError) {
        try service.desk.begin(scope.words, nowNanoseconds: EventLoop.nowNanoseconds())
      } catch {
        throw .desk(error)
      }
    }
  }

  /// Begins to listen.
  ///
  /// - Parameter begin: begins the session that takes what is said.
  func beginCaptioner(
    _ scope: CaptionScope,
    _ begin: (isolated CaptionService) throws(CaptionProblem) -> Void
  ) async throws(CaptionProblem) {
    guard let link, let service = parts.settings.asr else { throw .noService }
    guard captioner == nil else { throw .desk(.isOn) }
    let deck: TapeDeck
    do throws(IntercomError) {
      deck = try await parts.door.makeDeck(keepsTalkers: true, keepsMix: false, buses: [])
    } catch {
      throw .node(error)
    }
    // Another was faster meanwhile.
    guard captioner == nil, !hasFinished else { throw .desk(.isOn) }
    await followPlaces()
    guard captioner == nil, !hasFinished else { throw .desk(.isOn) }
    try begin(self)
    let made = Captioner(scope, CaptionEar(deck), link, service)
    captioner = made
    settle()
    await parts.door.record(on: deck)
    Task { await self.listen(made) }
  }

  private func scope(
    _ line: String?, _ members: [String]
  ) async throws(CaptionProblem) -> CaptionScope {
    var scope = CaptionScope(words: "all that it hears")
    if let line {
      let views = await parts.lines.views
      guard let name = try? LineName(line),
        let view = views.first(where: { $0.name == name }), view.isJoined
      else { throw .notOnLine(line) }
      (scope.line, scope.privateLine) = (view.name, view.privateID)
      // All in the group are told of it.
      scope.words = view.isPrivate ? "a private line" : "line \(view.name)"
    }
    guard !members.isEmpty, let membership else { return scope }
    var names: [String] = []
    for text in members {
      do throws(IntercomError) {
        let node = try await membership.node(named: text)
        scope.members.insert(node)
        names.append(name(of: node))
      } catch {
        throw .node(error)
      }
    }
    scope.words += ", of \(names.joined(separator: ", "))"
    return scope
  }

  /// Captions no more.
  func endCaptions() async throws(CaptionProblem) {
    guard captioner != nil else { throw .desk(.isOff) }
    guard hosted.hosting == nil else { throw .isHosting }
    // Who turns captions off does not want them back by themselves.
    offer.isOn = false
    await stopCaptioner()
  }

  func stopCaptioner() async {
    guard let captioner else { return }
    (self.captioner, offer.isAutomatic) = (nil, false)
    lostFrames += captioner.ear.lostFrames
    captioner.stop()
    if desk.isCaptioning { try? desk.end() }
    if hosted.hosting != nil { try? hosted.end(nowNanoseconds: EventLoop.nowNanoseconds()) }
    settle()
    await parts.door.endRecording(on: captioner.ear.deck)
  }

  /// This node's user refuses to be captioned, or no more.
  func setRefuses(_ refuses: Bool) {
    desk.setRefuses(refuses, nowNanoseconds: EventLoop.nowNanoseconds())
    if refuses {
      hosted.settleAll(of: parts.own)
      captioner?.drop(parts.own)
    }
    settle()
    changed()
  }

  /// Forgets the sessions that are over; how many.
  func clear() async -> Int {
    await writeAllTranscripts()
    await stopKeeping()
    let count = desk.clear() + hosted.clear()
    settle()
    changed()
    return count
  }

  /// Chunks that a remote asks for.
  func captions(_ query: CaptionQuery) async -> [CaptionStatus] {
    let found = look(query)
    guard found.isEmpty, let wait = query.waitSeconds, wait > 0, !hasFinished else { return found }
    let number = waiters.nextNumber()
    let waiting = Task { [weak self] in
      try? await Task.sleep(for: .seconds(wait))
      await self?.wake(number)
    }
    await withCheckedContinuation { waiters.add($0, number) }
    waiting.cancel()
    return look(query)
  }

  private func look(_ query: CaptionQuery) -> [CaptionStatus] {
    let found = journal.chunks(query, of: shelf)
    noteRead(found)
    schedule()
    return found
  }

  /// The part of a status.
  var status: CaptionsStatus {
    var status = journal.status(of: shelf)
    status.isAvailable = link != nil
    (status.isOffered, status.isAutomatic) = (offer.isOn, offer.isAutomatic)
    status.problem = captioner?.problem
    status.lostFrames = lostFrames + (captioner?.ear.lostFrames ?? 0)
    status.transcripts = parts.transcripts
    status.transcriptProblem = transcripts?.problem ?? keeping.problem
    status.keepDays = keeping.days == 0 ? nil : keeping.days
    return status
  }

  // MARK: Voice messages

  /// Whether the recogniser works for captions: nothing else is to ask it.
  var isListening: Bool { captioner?.isListening == true }

  /// Whether what somebody says may be transcribed; nil: not known yet.
  func permits(_ node: NodeID) -> Bool? {
    if desk.consents(node) { return true }
    return node == parts.own || desk.refusers.contains(node) ? false : nil
  }

  // MARK: Sound

  private func listen(_ captioner: Captioner) async {
    var looks = 0
    while self.captioner === captioner {
      guard !captioner.ear.isOver else {
        parts.log.event(
          .captionsFailed, "JACK runs at another rate, or memory is short: captions ended")
        return await stopCaptioner()
      }
      if looks.isMultiple(of: Self.looksAtPlaces) {
        await followPlaces()
        guard self.captioner === captioner else { return }
        captioner.confirm { permit($0, captioner.scope) }
      }
      looks += 1
      advance(captioner)
      try? await Task.sleep(for: Self.look)
    }
  }

  private func advance(_ captioner: Captioner) {
    let begun = captioner.advance(nowNanoseconds: EventLoop.nowNanoseconds()) {
      permit($0, captioner.scope)
    }
    for (number, line) in begun {
      Task { await self.read(line, number, captioner) }
    }
    settle()
  }

  private func permit(_ id: String, _ scope: CaptionScope) -> CaptionPermit {
    guard let talker = directory.talker(id), desk.consents(talker.node),
      scope.members.isEmpty || scope.members.contains(talker.node)
    else { return .refused }
    return directory.permit(talker, on: scope)
  }

  private func read(_ line: SpeechLine, _ number: Int, _ captioner: Captioner) async {
    while let news = await line.next() {
      hear(news, number, isLast: false, captioner)
    }
    hear([], number, isLast: true, captioner)
  }

  private func hear(
    _ news: [SpeechNews], _ number: Int, isLast: Bool, _ captioner: Captioner
  ) {
    guard self.captioner === captioner else { return }
    let former = captioner.problem
    let now = EventLoop.nowNanoseconds()
    if hosted.hosting == nil {
      captioner.hear(news, of: number, isLast: isLast, into: &desk, nowNanoseconds: now)
    } else {
      captioner.hear(news, of: number, isLast: isLast, into: &hosted, nowNanoseconds: now)
    }
    if let problem = captioner.problem, problem != former {
      parts.log.event(.captionsFailed, "\(problem)")
      changed()
    }
    settle()
  }
}
