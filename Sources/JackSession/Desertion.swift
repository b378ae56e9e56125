/// Tells when a client that is called no more is to ask whether its server runs all the same.
///
/// A server may go on without a client and not say so: libjack of PipeWire 0.3.65 tells its end by one of two callbacks
/// only, and a client of a server that was started anew is called by nobody. Only time between looks that come in time
/// counts, as in `JackWatch`.
///
/// A pure value: facts and times in.
struct Desertion {
  /// Longer than a card takes to come back, and a machine to wake up.
  static let patienceNanoseconds: Int64 = 10_000_000_000
  /// The longest from look to look.
  static let lookMilliseconds = 2_000
  /// A look after more than that was late itself.
  private static let stepNanoseconds: Int64 = 3_000_000_000

  private var last: (periods: UInt64, nanoseconds: Int64)?
  private(set) var silentNanoseconds: Int64 = 0

  /// Takes in how many periods there were.
  ///
  /// - Returns: whether it is time to ask; again only after as long.
  mutating func isSuspected(periods: UInt64, isFreewheeling: Bool, nowNanoseconds: Int64) -> Bool {
    defer { last = (periods, nowNanoseconds) }
    guard let last, last.periods == periods, !isFreewheeling else {
      silentNanoseconds = 0
      return false
    }
    silentNanoseconds += min(max(0, nowNanoseconds - last.nanoseconds), Self.stepNanoseconds)
    return silentNanoseconds >= Self.patienceNanoseconds
  }

  /// The server was asked, or there is another one: it begins anew.
  mutating func restart() {
    last = nil
    silentNanoseconds = 0
  }
}
