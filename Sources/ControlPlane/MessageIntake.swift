internal import Mesh

/// What came on one connection and is not handled yet, and the clock that stands still while we are the reason;
/// sans-I/O.
struct MessageIntake {
  private var decoder: MessageDecoder
  private var held = HeldOctets()
  /// Octets that are held, as ``countChange(isOver:)`` told last.
  private(set) var countedBytes = 0
  /// Since when nothing is read because of us; nil: it is read.
  private var pausedSinceNanoseconds: Int64?
  private var pausedNanoseconds: Int64 = 0

  init(limits: MessageLimits) { decoder = MessageDecoder(limits: limits) }

  /// How much and how long a message may take.
  var limits: MessageLimits {
    get { decoder.limits }
    set { decoder.limits = newValue }
  }

  /// Whether all that came is decoded.
  var isEmpty: Bool { held.isEmpty }

  /// Octets that are held, of the unfinished message too.
  private var byteCount: Int { held.byteCount + decoder.heldBytes }

  /// By how much what is held has changed since the last time; of a connection that is over nothing counts.
  mutating func countChange(isOver: Bool) -> Int {
    let bytes = isOver ? 0 : byteCount
    defer { countedBytes = bytes }
    return bytes - countedBytes
  }

  /// Adds what came.
  mutating func append(_ octets: [UInt8]) { held.append(octets) }

  /// The next message; nil when it is not whole yet.
  mutating func next(nowNanoseconds now: Int64) throws(MeshError) -> Message? {
    try held.next(&decoder, nowNanoseconds: reading(now))
  }

  /// Lets go of what came and is not decoded.
  mutating func clear() {
    held.clear()
    decoder = MessageDecoder(limits: decoder.limits)
  }

  /// Nothing is read from now on, because of us.
  mutating func pause(nowNanoseconds now: Int64) {
    pausedSinceNanoseconds = pausedSinceNanoseconds ?? now
  }

  /// Reading goes on.
  mutating func resume(nowNanoseconds now: Int64) {
    guard let since = pausedSinceNanoseconds else { return }
    pausedNanoseconds += now - since
    pausedSinceNanoseconds = nil
  }

  /// Whether nothing is read because of us.
  var isPaused: Bool { pausedSinceNanoseconds != nil }

  /// How long the message under way may take yet; nil: there is none, or its clock stands still.
  func waitNanoseconds(nowNanoseconds now: Int64) -> Int64? {
    guard !isPaused, let deadline = decoder.deadlineNanoseconds else { return nil }
    return max(deadline - reading(now), 0)
  }

  /// Throws when the message under way was not finished in time.
  mutating func check(nowNanoseconds now: Int64) throws(MeshError) {
    try decoder.check(nowNanoseconds: reading(now))
  }

  /// Stands still while nothing is read because of us.
  private func reading(_ now: Int64) -> Int64 {
    now - pausedNanoseconds - (pausedSinceNanoseconds.map { now - $0 } ?? 0)
  }
}
