/// When a member may be sent the next letter: one at a time, with a pause between them.
struct LetterTurn: Sendable {
  private static let pauseNanoseconds: Int64 = 250_000_000
  private static let retryNanoseconds: Int64 = 1_000_000_000

  /// Of the letter that is under way, the admission that it was made for; nil: none is.
  private var underWay: Int?
  private var readyNanoseconds: Int64 = .min
  /// Whether it has asked for all since it was admitted.
  private var hasAsked = false

  /// That of a member which was not there before, or was till now: what is under way to it is, still.
  init(after former: LetterTurn? = nil) { underWay = former?.underWay }

  /// It has nothing of this node, and waits for nothing that is under way; who asks again and again waits as all do.
  var asked: LetterTurn {
    guard !hasAsked else { return self }
    var turn = LetterTurn()
    turn.hasAsked = true
    return turn
  }

  /// Whether it is there.
  func isThere(nowNanoseconds now: Int64) -> Bool { nextNanoseconds <= now }

  /// Whether a letter is under way.
  var isUnderWay: Bool { underWay != nil }

  /// When it is there; `max`: not before what is under way has ended.
  var nextNanoseconds: Int64 { underWay == nil ? readyNanoseconds : .max }

  /// A letter is sent.
  mutating func take(as admission: Int, nowNanoseconds now: Int64) {
    (underWay, readyNanoseconds) = (admission, now + Self.pauseNanoseconds)
  }

  /// One has ended that was made for this admission.
  mutating func end(_ admission: Int) { if underWay == admission { underWay = nil } }

  /// It did not arrive.
  mutating func fail(nowNanoseconds now: Int64) { readyNanoseconds = now + Self.retryNanoseconds }
}
