internal import Cryptography
internal import Intercom
internal import Remote
internal import StatusSchema
internal import Synchronization

/// What is so in this node, for all that show it: `status`, `subscribe`, `/metrics`.
///
/// A view asks for a ``status()``, or follows ``pictures()``: one whenever everything was looked at, whose levels the
/// follower looks at itself, on its own thread, 20 times a second (``Remote/NodePicture/next()``). That costs the media
/// loop a few stores. With these looks of the longest follower the model counts: everything is looked at once in
/// ``steadyLooks``, and with the next look where something changed: where that goes on, ``mostHastyLooks`` times in a
/// row and from then on once in ``hastyLooks``. Followers get the newest picture and never a backlog. While nobody
/// follows, it does nothing.
///
/// Everything is looked at on Swift's ordinary pool.
final class NodeModel: Sendable {
  /// Where it looks.
  struct Look: Sendable {
    var status: @Sendable () async -> Status
    /// How often something changed that levels do not tell.
    var revision: @Sendable () -> UInt64
    var levels: @Sendable () -> LevelReading
  }

  private struct State {
    var followers: [Int: AsyncStream<NodePicture>.Continuation] = [:]
    var followerCount = 0
    var shown: Shown?
    /// What was counted when everything was looked at.
    var seen: UInt64 = 0
    var looksSinceDocument = 0
    /// Looks at the levels that no hasty look was taken for yet.
    var savedLooks = hastyLooks * mostHastyLooks
    /// Which look at everything is under way; nil: none.
    var looking: UInt64?
    var lookCount: UInt64 = 0
    var hasEnded = false
  }

  /// A document with its peers, as ``LevelReading`` has them.
  private struct Shown: Sendable {
    let document: StatusDocument
    let keys: [UInt64?]
  }

  /// Looks at the levels for each at everything, where nothing is known to have changed.
  static let steadyLooks = 20
  /// Looks at the levels that earn one more at everything, for something that changed.
  static let hastyLooks = 5
  /// Looks at everything in a row, for changes one after the other.
  static let mostHastyLooks = 20

  private let look: Look
  private let touches = Atomic<UInt64>(0)
  private let state = Mutex(State())

  init(_ look: Look) { self.look = look }

  /// Whether somebody follows.
  var isFollowed: Bool { state.withLock { !$0.followers.isEmpty } }

  /// Whether it looks at everything just now.
  var isLooking: Bool { state.withLock { $0.looking != nil } }

  /// All that is so now.
  func status() async -> Status { await look.status() }

  /// Something changed that neither levels nor the node's revision tell.
  ///
  /// Any thread; does not wait.
  func touch() { touches.add(1, ordering: .relaxed) }

  /// The node at once and whenever it was looked at, for one follower.
  ///
  /// Any thread; does not wait.
  func pictures() -> AsyncStream<NodePicture> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: NodePicture.self, bufferingPolicy: .bufferingNewest(1))
    let number = state.withLock { state -> Int? in
      guard !state.hasEnded else { return nil }
      state.followerCount += 1
      state.followers[state.followerCount] = continuation
      return state.followerCount
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    let begun = state.withLock { state -> UInt64? in
      if let shown = state.shown { state.followers[number]?.yield(picture(of: shown, number)) }
      return state.shown == nil && state.looking == nil ? beginLook(&state) : nil
    }
    if let begun { lookAtEverything(begun) }
    return stream
  }

  /// Ends all streams, and each that is asked for later at once.
  func end() {
    // A stream that ends calls back: not under the lock.
    let followers = state.withLock { state in
      state.hasEnded = true
      Self.rest(&state)
      defer { state.followers = [:] }
      return state.followers
    }
    for follower in followers.values { follower.finish() }
  }

  private func remove(_ number: Int) {
    let gone = state.withLock { state in
      let gone = state.followers.removeValue(forKey: number)
      if state.followers.isEmpty { Self.rest(&state) }
      return gone
    }
    withExtendedLifetime(gone) {}
  }

  /// What was known is history once nobody looks any more.
  private static func rest(_ state: inout State) { (state.shown, state.looking) = (nil, nil) }

  private func picture(of shown: Shown, _ follower: Int) -> NodePicture {
    NodePicture(shown.document, look.levels().levels(of: shown.keys), after: nil) { [weak self] in
      self?.levels(of: shown.keys, for: follower)
    }
  }

  /// A follower looks at the levels.
  private func levels(of keys: [UInt64?], for follower: Int) -> NodeLevels? {
    let begun = state.withLock { state in
      state.looking == nil && state.followers.keys.min() == follower && isDue(&state)
        ? beginLook(&state) : nil
    }
    if let begun { lookAtEverything(begun) }
    return look.levels().levels(of: keys)
  }

  /// Whether it is time to look at everything.
  private func isDue(_ state: inout State) -> Bool {
    state.looksSinceDocument += 1
    state.savedLooks = min(state.savedLooks + 1, Self.hastyLooks * Self.mostHastyLooks)
    let isHasty = counted != state.seen && state.savedLooks >= Self.hastyLooks
    if isHasty { state.savedLooks -= Self.hastyLooks }
    return isHasty || state.looksSinceDocument >= Self.steadyLooks
  }

  private var counted: UInt64 { look.revision() &+ touches.load(ordering: .relaxed) }

  private func beginLook(_ state: inout State) -> UInt64 {
    (state.seen, state.looksSinceDocument) = (counted, 0)
    state.lookCount &+= 1
    state.looking = state.lookCount
    return state.lookCount
  }

  /// Looks, and shows it to all, where nobody took the followers away meanwhile.
  private func lookAtEverything(_ number: UInt64) {
    Task { [weak self, look] in
      let status = await look.status()
      self?.take(
        Shown(
          document: StatusDocument(status, number: number),
          keys: status.peers.map { $0.id.flatMap { NodeID(text: $0) }?.firstBits }), number)
    }
  }

  private func take(_ shown: Shown, _ number: UInt64) {
    state.withLock { state in
      guard state.looking == number else { return }
      (state.looking, state.shown) = (nil, shown)
      for (number, follower) in state.followers { follower.yield(picture(of: shown, number)) }
    }
  }
}
