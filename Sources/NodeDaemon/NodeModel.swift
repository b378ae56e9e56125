internal import Cryptography
internal import Intercom
internal import Remote
internal import StatusSchema
internal import Synchronization

/// What is so in this node, for all that show it: `status`, `subscribe`, `/metrics`.
///
/// A view asks for a ``status()``, or follows ``pictures()``. While somebody follows, the model looks at the levels 20
/// times a second, which costs the media loop a few stores, and at everything else once a second, and with the next
/// look at the levels where something changed: where that goes on, ``mostHastyLooks`` times in a row and from then on
/// once in ``hastyLooks`` looks at the levels. Followers get the newest picture and never a backlog. While nobody
/// follows, it does nothing.
///
/// It looks on a thread of its own, a ``LookThread``, and does everything else on Swift's ordinary pool.
actor NodeModel {
  /// Where it looks.
  struct Look: Sendable {
    var status: @Sendable () async -> Status
    /// How often something changed that levels do not tell.
    var revision: @Sendable () -> UInt64
    var levels: @Sendable () -> LevelReading
  }

  /// From one look at the levels to the next.
  private static let pauseMilliseconds = 50
  /// Looks at the levels for each at everything, where nothing is known to have changed.
  static let steadyLooks = 20
  /// Looks at the levels that earn one more at everything, for something that changed.
  static let hastyLooks = 5
  /// Looks at everything in a row, for changes one after the other.
  static let mostHastyLooks = 20

  private let look: Look
  private let pause: (@Sendable () async -> Void)?
  private nonisolated let touches = Atomic<UInt64>(0)
  private var followers: [Int: AsyncStream<NodePicture>.Continuation] = [:]
  private var followerCount = 0
  private var ticker: Task<Void, Never>?
  /// Where it looks; nil: on the pool.
  private var thread: LookThread?
  private var picture: NodePicture?
  private var document: StatusDocument?
  private var documentCount: UInt64 = 0
  /// The document's peers, as ``LevelReading`` has them.
  private var keys: [UInt64?] = []
  /// What was counted when the document was made.
  private var seen: UInt64 = 0
  private var looksSinceDocument = 0
  /// Looks at the levels that no hasty look was taken for yet.
  private var savedLooks = hastyLooks * mostHastyLooks
  private var hasEnded = false

  /// - Parameter pause: waits from one look to the next, less where its task is cancelled; nil: 50 ms, on a thread of
  ///   the model's.
  init(_ look: Look, pause: (@Sendable () async -> Void)? = nil) {
    self.look = look
    self.pause = pause
  }

  deinit { thread?.end() }

  /// Whether it looks.
  var isFollowed: Bool { ticker != nil }

  /// All that is so now.
  nonisolated func status() async -> Status { await look.status() }

  /// Something changed that neither levels nor the node's revision tell.
  ///
  /// Any thread; does not wait.
  nonisolated func touch() { touches.add(1, ordering: .relaxed) }

  /// The node at once and whenever it changes, for one follower.
  ///
  /// Any thread; does not wait.
  nonisolated func pictures() -> AsyncStream<NodePicture> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: NodePicture.self, bufferingPolicy: .bufferingNewest(1))
    Task { await add(continuation) }
    return stream
  }

  /// Ends all streams, and each that is asked for later at once.
  func end() {
    hasEnded = true
    for follower in followers.values { follower.finish() }
    followers = [:]
    rest()
  }

  private func add(_ follower: AsyncStream<NodePicture>.Continuation) {
    guard !hasEnded else { return follower.finish() }
    followerCount += 1
    let number = followerCount
    followers[number] = follower
    follower.onTermination = { [weak self] _ in
      Task { await self?.remove(number) }
    }
    if let picture { follower.yield(picture) }
    if ticker == nil { start() }
  }

  private func start() {
    let thread = pause == nil ? try? LookThread() : nil
    self.thread = thread
    ticker = Task(executorPreference: thread) { [weak self, pause] in
      while !Task.isCancelled, await self?.tick() == true {
        if let pause {
          await pause()
        } else if let thread {
          await thread.pause(milliseconds: Self.pauseMilliseconds)
        } else {
          try? await Task.sleep(for: .milliseconds(Self.pauseMilliseconds))
        }
      }
    }
  }

  private func remove(_ number: Int) {
    followers[number] = nil
    if followers.isEmpty { rest() }
  }

  /// What was known is history once nobody looks any more.
  private func rest() {
    ticker?.cancel()
    thread?.end()
    (ticker, thread, picture, document) = (nil, nil, nil, nil)
  }

  /// Looks once; false when nobody follows any more.
  private func tick() async -> Bool {
    if isDue() {
      let status = await look.status()
      // Whoever took the followers away meanwhile wants nothing of it left.
      guard !Task.isCancelled else { return false }
      take(status)
    }
    guard let document else { return false }
    let next = NodePicture(document, look.levels().levels(of: keys), after: picture)
    if let picture, !next.differs(from: picture) { return true }
    picture = next
    for follower in followers.values { follower.yield(next) }
    return true
  }

  /// Whether it is time to look at everything, which it is taken for done then.
  private func isDue() -> Bool {
    looksSinceDocument += 1
    savedLooks = min(savedLooks + 1, Self.hastyLooks * Self.mostHastyLooks)
    let counted = look.revision() &+ touches.load(ordering: .relaxed)
    let isHasty = counted != seen && savedLooks >= Self.hastyLooks
    guard document == nil || isHasty || looksSinceDocument >= Self.steadyLooks else { return false }
    if isHasty { savedLooks -= Self.hastyLooks }
    (seen, looksSinceDocument) = (counted, 0)
    return true
  }

  private func take(_ status: Status) {
    documentCount &+= 1
    document = StatusDocument(status, number: documentCount)
    keys = status.peers.map { $0.id.flatMap { NodeID(text: $0) }?.firstBits }
  }
}
