/// How much more than what suffices as a rule would have sufficed always, over the last two minutes.
///
/// People hear events per minute, not shares: one packet in a thousand is 24 clicks a minute of the shortest ones.
/// What a machine or a link that is calm as a rule does now and then, a wake-up that comes a quarter of a millisecond
/// late, is worth as much delay. Only what stays within a bound counts: more is a stall, which no delay is wise for.
///
/// The greatest of a stretch counts until the stretch is two minutes old, so that one event in two minutes is expected.
public struct RareExcess: Sendable {
  private static let stretchNanoseconds: Int64 = 10_000_000_000
  private static let stretchCount = 12
  /// Coarse, as each move is a splice.
  private static let gradeNanoseconds: Int64 = 250_000

  private let mostNanoseconds: Int64
  private var greatest = InlineArray<12, Int64>(repeating: 0)
  private var stretch = 0
  private var beganNanoseconds: Int64?

  /// What is to be had on top, in quarters of a millisecond; 0: nothing came beyond what suffices.
  public private(set) var nanoseconds: Int64 = 0

  /// Excesses above `most` are passed over.
  public init(mostNanoseconds most: Int64) { mostNanoseconds = most }

  /// Takes what one of them needed beyond what suffices as a rule; below 0: less.
  public mutating func add(_ excess: Int64, at now: Int64) {
    turn(now)
    guard excess > greatest[stretch], excess <= mostNanoseconds else { return }
    greatest[stretch] = excess
    renew()
  }

  /// What came lately was no excess of what is calm as a rule.
  public mutating func forgetRecent() {
    greatest[stretch] = 0
    greatest[(stretch + Self.stretchCount - 1) % Self.stretchCount] = 0
    renew()
  }

  private mutating func turn(_ now: Int64) {
    let began = beganNanoseconds ?? now
    beganNanoseconds = began
    guard now - began >= Self.stretchNanoseconds else { return }
    let turns = Int(min((now - began) / Self.stretchNanoseconds, Int64(Self.stretchCount)))
    for _ in 0..<turns {
      stretch = (stretch + 1) % Self.stretchCount
      greatest[stretch] = 0
    }
    beganNanoseconds = began + Int64(turns) * Self.stretchNanoseconds
    if now - began > Int64(Self.stretchCount) * Self.stretchNanoseconds { beganNanoseconds = now }
    renew()
  }

  private mutating func renew() {
    var most: Int64 = 0
    for index in greatest.indices { most = max(most, greatest[index]) }
    let grades = (most + Self.gradeNanoseconds - 1) / Self.gradeNanoseconds
    nanoseconds = min(grades * Self.gradeNanoseconds, mostNanoseconds)
  }
}

/// Tells a single late packet, or a few let go together, from a shift: what packets in a row need more is no rare
/// excess.
struct RareLateness {
  /// As many prove a shift (`ArrivalWindow.provingCount`).
  private static let mostInARow = ArrivalWindow.provingCount - 1
  /// Less is kept free anyway.
  private static let leastNanoseconds = PlayoutController.reserveNanoseconds
  /// A packet that comes later than that sounds for the rest of its time, and what stood for it is hardly heard; and a
  /// network on which many do is not calm.
  private static let mostNanoseconds: Int64 = 750_000

  private var excess = RareExcess(mostNanoseconds: mostNanoseconds)
  /// What sufficed before the run that is under way; 0 packets: none is.
  private var (beforeNanoseconds, greatestNanoseconds): (Int64, Int64) = (0, 0)
  private var inARow = 0

  var nanoseconds: Int64 { excess.nanoseconds }

  /// A packet of another time line, or a shift: the run says nothing.
  mutating func interrupt() { inARow = 0 }

  /// The link is not calm, and was not a moment ago.
  mutating func forgetRecent() {
    inARow = 0
    excess.forgetRecent()
  }

  /// Takes what a packet needed, and what suffices as a rule.
  mutating func add(_ required: Int64, usual: Int64, at now: Int64) {
    let more = required - (inARow > 0 ? beforeNanoseconds : usual)
    guard more > Self.leastNanoseconds else {
      excess.add(inARow > 0 && inARow <= Self.mostInARow ? greatestNanoseconds : 0, at: now)
      inARow = 0
      return
    }
    if inARow == 0 { (beforeNanoseconds, greatestNanoseconds) = (usual, 0) }
    greatestNanoseconds = max(greatestNanoseconds, more)
    inARow += 1
    // Many: what suffices has moved, or soon will have.
    if inARow > Self.mostInARow { beforeNanoseconds = max(beforeNanoseconds, usual) }
  }
}
