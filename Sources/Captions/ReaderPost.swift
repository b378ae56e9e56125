/// What is to be said to one member that is on, and what it may know.
struct ReaderPost {
  /// Where it hears: what is said elsewhere is not for it.
  var places: Set<CaptionPlace> = []
  /// Whether its user said that they do not refuse to be captioned.
  private(set) var consents = false
  /// Since when its user refuses, as far as is known; nil: not, or it has not said.
  private(set) var refusesSinceNanoseconds: Int64?

  private var run: UInt64?
  private var owesHello = true
  /// Own sessions that it is to be told of.
  private var offers: Set<UInt64> = []
  /// Its sessions that this node wants.
  private var wants: Set<UInt64> = []
  /// What it was asked for last, and when.
  private var wanted: (number: UInt64, nanoseconds: Int64)?
  /// The session of which it gets each chunk.
  private var following: UInt64?
  /// Chunks that changed just now, and those of before, the next one last.
  private var (fresh, history): ([UInt32], [UInt32]) = ([], [])
  /// Nothing is said until then.
  private var pausedUntilNanoseconds: Int64 = .min

  /// Takes whether its user refuses, and its run: another one knows nothing of what it was sent.
  mutating func hear(_ refuses: Bool, run: UInt64, nowNanoseconds now: Int64) {
    if let known = self.run, known != run { unfollow() }
    self.run = run
    consents = !refuses
    refusesSinceNanoseconds = refuses ? refusesSinceNanoseconds ?? now : nil
  }

  mutating func oweHello() { owesHello = true }

  mutating func owe(offerOf number: UInt64) { offers.insert(number) }

  /// Asks for what is missing of a session; what was just asked for is under way.
  mutating func want(_ number: UInt64, nowNanoseconds now: Int64) {
    if let wanted, wanted.number == number,
      now < wanted.nanoseconds.saturating(adding: CaptionLimits.wantNanoseconds)
    {
      return
    }
    wanted = (number, now)
    wants.insert(number)
  }

  /// It gets these chunks, the oldest first, and each that changes from now on.
  mutating func follow(_ number: UInt64, _ indices: [UInt32]) {
    following = number
    (fresh, history) = ([], indices.reversed())
  }

  /// It gets nothing until it wants it.
  mutating func unfollow() {
    following = nil
    (fresh, history) = ([], [])
  }

  /// Whether it gets each chunk of that session.
  func isFollowing(_ number: UInt64) -> Bool { following == number }

  /// A chunk is another.
  mutating func note(_ index: UInt32, of number: UInt64) {
    guard following == number, !fresh.contains(index) else { return }
    fresh.append(index)
  }

  /// What it was sent may be lost.
  mutating func beginAgain(offering numbers: [UInt64], untilNanoseconds: Int64) {
    owesHello = true
    offers.formUnion(numbers)
    unfollow()
    wanted = nil
    pausedUntilNanoseconds = untilNanoseconds
  }

  func isPaused(nowNanoseconds now: Int64) -> Bool { now < pausedUntilNanoseconds }

  /// When it goes on; `Int64.max`: nothing waits.
  var deadlineNanoseconds: Int64 {
    pausedUntilNanoseconds == .min ? .max : pausedUntilNanoseconds
  }

  mutating func endPause() { pausedUntilNanoseconds = .min }

  mutating func takeHello() -> Bool {
    defer { owesHello = false }
    return owesHello
  }

  mutating func takeOffer() -> UInt64? { offers.popFirst() }

  mutating func takeWant() -> UInt64? { wants.popFirst() }

  /// The next chunk for it, looked at by `body`; false: that has no room for it, and it is next again.
  mutating func takeChunk(_ body: (UInt64, UInt32) -> Bool) -> Bool {
    guard let following else { return false }
    if let index = fresh.first {
      guard body(following, index) else { return false }
      fresh.removeFirst()
      return true
    }
    guard let index = history.last, body(following, index) else { return false }
    history.removeLast()
    return true
  }
}

/// Somewhere that something can be heard, as a line of a group: texts go where the voice went.
public struct CaptionPlace: Hashable, Sendable {
  private let group: String
  private let line: String
  private let privateLine: [UInt8]?

  /// A line among the members of a group; a private one is another than one of its name that is not, or is another
  /// private line.
  ///
  /// - Parameter privateLine: the private line's ID; nil: it is none.
  public init(group: String, line: String, privateLine: [UInt8]? = nil) {
    (self.group, self.line, self.privateLine) = (group, line, privateLine)
  }
}
