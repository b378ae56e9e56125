import Cryptography
import EventLoop
public import Mesh

/// Who belongs to this node's intercom: runs the ``Mesh`` and carries out what it decides.
///
/// Control connections, discovery, the network's changes and the user tell it what happens (``handle(_:)`` and the
/// calls beside it); it tells the media path who may be heard and by which keys, by a task of its own, so that a loop
/// that is busy holds up no connection.
///
/// **Keys.** The media path's first key is handed out from the start. When somebody left, the next one is made, handed
/// to the members, and used ``keyLeadTime`` later; until then both are given to whoever joins. A roll that becomes
/// necessary meanwhile follows at once.
///
/// Runs on Swift's ordinary pool; nothing here is done per packet or per period.
public actor Membership {
  /// From handing a key out to its use.
  ///
  /// A TCP segment that is lost twice is sent a third time after 600 ms (RFC 6298 §2 and §5.5,
  /// with Linux' least time-out of 200 ms). With the 250 ms before, the key is another within a second.
  static let keyLeadTime = Duration.milliseconds(650)
  /// Before a roll that failed is tried again.
  private static let rollPause = Duration.seconds(1)

  let mesh: Mesh
  let parts: MembershipParts
  let media: any MediaGate
  let now: @Sendable () -> Int64
  let pause: @Sendable (Duration) async throws -> Void
  private let nodes: AsyncStream<NodeID>
  let outdatedNodes: AsyncStream<NodeID>.Continuation
  private let memories: AsyncStream<(change: Int, memory: MeshMemory)>
  let memoryWrites: AsyncStream<(change: Int, memory: MeshMemory)>.Continuation

  /// Static peers as the user wrote them, by number.
  var namedPeers: [Int: String] = [:]
  /// Of those, the ones whose look-up failed, and is known to have.
  var unresolvedPeers: Set<Int> = []
  /// When the user last read of peers that fail again and again.
  var failures = TellingInterval<PeerTarget>(seconds: 3600)
  /// When the user last read that a member records or does so no more, of whom it read last that it does, and who
  /// changed its mind since.
  var recordingNews = TellingInterval<NodeID>(seconds: 60)
  var toldRecorders: Set<NodeID> = []
  var untoldRecorders: Set<NodeID> = []
  /// The other node of this identity that was heard of last, and when; and when the user last read of one.
  var twinNote: (twin: IdentityTwin, atNanoseconds: Int64)?
  var twinNews = TellingInterval<Bool>(seconds: 3600)
  /// Where discovery sees nodes, and what they are called there.
  var announced: [NodeID: (addresses: [NodeAddress], name: String)] = [:]
  var invitations: [NodeID: Invitation] = [:]
  /// Static peers that are in no group of ours, by the name they gave.
  var strangers: [NodeID: String] = [:]
  /// What nodes called themselves last, for as long as they are not too many.
  var names: [NodeID: String] = [:]
  /// What the media path should know, by member; and what it was told.
  var wanted: [NodeID: MemberMedia] = [:]
  var applied: [NodeID: MemberMedia] = [:]
  /// Members for whom there was no place.
  var refused: Set<NodeID> = []
  /// Who left with a goodbye, until the media path knows.
  var farewells: Set<NodeID> = []
  /// Whose names others may have, until the media path knows.
  var freedNames: Set<NodeID> = []
  /// Whom the media path does not know rightly, and is about to be told.
  var outdated: Set<NodeID> = []
  /// How often the media path was to be told of somebody, how often it was, and who waits for that.
  var (outdatedCount, synchronisedCount) = (0, 0)
  var mediaWaiters: [(count: Int, answer: CheckedContinuation<Void, Never>)] = []
  var admissionCount: UInt64 = 0
  /// How often what is to be kept changed, and the last change that was written, or could not be.
  var (memoryChange, keptChange) = (0, 0)
  var lastKeepingProblem: String?
  var keepingWaiters: [(change: Int, answer: CheckedContinuation<String?, Never>)] = []
  /// Writes what is to be kept.
  private var keeping: Task<Void, Never>?
  /// Waits to write again what could not be written.
  var keepingRetry: Task<Void, Never>?
  private var tasks: [Task<Void, Never>] = []
  private var timer: (deadlineNanoseconds: Int64, task: Task<Void, Never>)?
  private var rollTask: Task<Void, Never>?
  /// Streams whose keys are to change.
  private var dueRolls: Set<Int> = []
  private(set) var hasLeft = false

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
    names = parts.names
    self.now = now
    self.pause = pause
    (nodes, outdatedNodes) = AsyncStream.makeStream()
    (memories, memoryWrites) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The application lanes to all members, for whatever they have to say beside membership.
  public nonisolated var lane: any ApplicationLane { parts.transport.lane }

  /// Hands the first key out and begins.
  public func start() async {
    let (nodes, memories, store) = (nodes, memories, parts.store)
    let media = media
    keeping = Task { [weak self] in
      for await (change, memory) in memories {
        let problem = await store(memory)
        await self?.tellKept(change, problem: problem)
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
    timer?.task.cancel()
    rollTask?.cancel()
    outdatedNodes.finish()
    endKeeping()
    tasks.last?.cancel()
    for task in tasks { await task.value }
  }

  /// Waits until all is kept, or cannot be, after ``leave()``: for ever, where a disk does not answer.
  public func finishKeeping() async { await keeping?.value }

  /// Takes what happened.
  public func handle(_ event: MeshEvent) {
    guard !hasLeft || isConnection(event) else { return }
    perform(mesh.handle(event, nowNanoseconds: now()))
    schedule()
  }

  /// After the end only connections that came too late are of interest: they get closed.
  private func isConnection(_ event: MeshEvent) -> Bool {
    switch event {
    case .accepted, .dialled: true
    default: false
    }
  }

  /// Has the mesh woken when it wants to be.
  private func schedule() {
    let deadline = mesh.nextDeadlineNanoseconds
    guard deadline != timer?.deadlineNanoseconds else { return }
    timer?.task.cancel()
    timer = nil
    guard deadline < .max, !hasLeft else { return }
    let wait = Duration.nanoseconds(max(0, deadline - now()))
    let pause = pause
    let task = Task { [weak self] in
      guard (try? await pause(wait)) != nil else { return }
      await self?.tick()
    }
    timer = (deadline, task)
  }

  private func tick() {
    timer = nil
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
}
