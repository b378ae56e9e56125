internal import Cryptography
internal import Intercom
internal import Remote
internal import StatusSchema
internal import Synchronization

/// What is so in this node, for all that show it: `status`, `subscribe`, `/metrics`.
///
/// A view asks for a ``status()``, or follows ``pictures()``: one whenever everything was looked at, whose levels the
/// follower looks at itself, on its own thread, 20 times a second (``Remote/NodePicture/next()``). That costs the media
/// loop a few stores. With these looks, of whoever looks most often, the model counts: everything is looked at once in
/// ``steadyLooks``, and with the next look where something changed: where that goes on, ``mostHastyLooks`` times in a
/// row and from then on once in ``hastyLooks``. Followers get the newest picture and never a backlog. While nobody
/// follows, it does nothing.
///
/// Everything is looked at on Swift's ordinary pool, by one look at a time.
///
/// Pictures are handed over without the lock: to resume a task takes that task's own lock, and who is cancelled holds
/// that while he takes ours to leave.
final class NodeModel: Sendable {
  /// Where it looks.
  struct Look: Sendable {
    var status: @Sendable () async -> Status
    /// How often something changed that levels do not tell.
    var revision: @Sendable () -> UInt64
    var levels: @Sendable () -> LevelReading
  }

  private struct Follower {
    let pictures: AsyncStream<NodePicture>.Continuation
    /// How often it looked at the levels, beginning with the turn it came in.
    var looks: UInt64
  }

  private struct State {
    var followers: [Int: Follower] = [:]
    var followerCount = 0
    /// The most that one of those who follow looked.
    var turn: UInt64 = 0
    var shown: Shown?
    /// What was counted when everything was looked at.
    var seen: UInt64 = 0
    var looksSinceDocument = 0
    /// Looks at the levels that no hasty look was taken for yet.
    var savedLooks = hastyLooks * mostHastyLooks
    /// A look at everything is under way.
    var isLooking = false
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

  /// How many follow.
  var followers: Int { state.withLock { $0.followers.count } }

  /// Whether it looks at everything just now.
  var isLooking: Bool { state.withLock { $0.isLooking } }

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
      state.followers[state.followerCount] = Follower(pictures: continuation, looks: state.turn)
      return state.followerCount
    }
    guard let number else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.remove(number) }
    let begun = state.withLock { state -> UInt64? in
      // Nobody waits for this stream yet.
      if let shown = state.shown { continuation.yield(picture(of: shown, number)) }
      return beginFirstLook(&state)
    }
    if let begun { lookAtEverything(begun) }
    return stream
  }

  /// Ends all streams, and each that is asked for later at once.
  func end() {
    // A stream that ends calls back: not under the lock.
    let followers = state.withLock { state in
      state.hasEnded = true
      state.shown = nil
      defer { state.followers = [:] }
      return state.followers
    }
    for follower in followers.values { follower.pictures.finish() }
  }

  private func remove(_ number: Int) {
    let gone = state.withLock { state in
      let gone = state.followers.removeValue(forKey: number)
      // What was known is history once nobody looks any more.
      if state.followers.isEmpty { state.shown = nil }
      state.turn = state.followers.values.map(\.looks).max() ?? 0
      return gone
    }
    withExtendedLifetime(gone) {}
  }

  private func picture(of shown: Shown, _ follower: Int) -> NodePicture {
    NodePicture(shown.document, look.levels().levels(of: shown.keys), after: nil) { [weak self] in
      self?.levels(of: shown.keys, for: follower)
    }
  }

  /// A follower looks at the levels.
  private func levels(of keys: [UInt64?], for follower: Int) -> NodeLevels? {
    let begun = state.withLock { state -> UInt64? in
      guard isAhead(follower, &state), !state.isLooking, isDue(&state) else { return nil }
      return beginLook(&state)
    }
    if let begun { lookAtEverything(begun) }
    return look.levels().levels(of: keys)
  }

  /// Counts its look; true: nobody has looked as often.
  private func isAhead(_ follower: Int, _ state: inout State) -> Bool {
    guard var looking = state.followers[follower] else { return false }
    looking.looks += 1
    state.followers[follower] = looking
    guard looking.looks > state.turn else { return false }
    state.turn = looking.looks
    return true
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

  /// Begins one if somebody waits for the first document; nil: nobody does, or one is under way.
  private func beginFirstLook(_ state: inout State) -> UInt64? {
    guard state.shown == nil, !state.isLooking, !state.followers.isEmpty else { return nil }
    return beginLook(&state)
  }

  private func beginLook(_ state: inout State) -> UInt64 {
    (state.seen, state.looksSinceDocument, state.isLooking) = (counted, 0, true)
    state.lookCount &+= 1
    return state.lookCount
  }

  /// Looks, and shows it to all.
  private func lookAtEverything(_ number: UInt64) {
    Task { [weak self, look] in
      let status = await look.status()
      self?.take(
        Shown(
          document: StatusDocument(status, number: number),
          keys: status.peers.map { $0.id.flatMap { NodeID(text: $0) }?.firstBits }))
    }
  }

  private func take(_ shown: Shown) {
    let followers = state.withLock { state in
      state.shown = state.followers.isEmpty ? nil : shown
      return state.followers
    }
    for (number, follower) in followers { follower.pictures.yield(picture(of: shown, number)) }
    // Not before: a later look's pictures would come before these. Who came while nobody was there has none yet.
    let begun = state.withLock { state in
      state.isLooking = false
      return beginFirstLook(&state)
    }
    if let begun { lookAtEverything(begun) }
  }
}
