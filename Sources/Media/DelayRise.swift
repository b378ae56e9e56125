/// Rise of a path's delay above its minimum of the last half minute or so.
///
/// Only differences of the same kind of reading are used, so clocks need not agree; that they drift
/// by 100 ppm would make 6 ms of it in a minute, so readings of two clocks are to be without their drift.
struct DelayRise {
  private static let spanNanoseconds: Int64 = 30_000_000_000

  private var beganNanoseconds: Int64?
  private var least: Int64 = .max
  private var leastBefore: Int64 = .max

  /// The newest reading above the minimum; 0 before the first.
  private(set) var nanoseconds: Int64 = 0

  /// Adds a reading.
  mutating func add(_ reading: Int64, nowNanoseconds now: Int64) {
    if let began = beganNanoseconds, now - began > Self.spanNanoseconds {
      (leastBefore, least) = (least, reading)
      beganNanoseconds = now
    }
    beganNanoseconds = beganNanoseconds ?? now
    least = min(least, reading)
    nanoseconds = reading - min(least, leastBefore)
  }

  /// Makes the newest reading the minimum: the path has become longer for good.
  mutating func rebase() {
    let reading = nanoseconds + min(least, leastBefore)
    (least, leastBefore) = (reading, reading)
    nanoseconds = 0
  }
}

/// Rise of a stream's transit time above its minimum, jitter smoothed out.
///
/// Smoothed over time, not packets: a quiet sender sends one in 400 ms, a talker up to 400 a second.
struct SmoothedTransit {
  private static let smoothingNanoseconds: Int64 = 300_000_000
  /// Packets that come together after a stall count as if they had come one by one.
  private static let leastIntervalNanoseconds: Int64 = 2_500_000

  private var addedNanoseconds: Int64 = 0
  private var mean: Int64?
  private var rise = DelayRise()

  /// The smoothed transit above the least of the last half minute.
  var riseNanoseconds: Int64 { rise.nanoseconds }

  /// Adds a packet's arrival minus its end in media time, corrected for clock drift.
  mutating func add(_ transit: Int64, nowNanoseconds: Int64) {
    let elapsed = max(Self.leastIntervalNanoseconds, nowNanoseconds - addedNanoseconds)
    addedNanoseconds = nowNanoseconds
    let share = Double(elapsed) / Double(elapsed + Self.smoothingNanoseconds)
    let new = mean.map { $0 + Int64(share * Double(transit - $0)) } ?? transit
    mean = new
    rise.add(new, nowNanoseconds: nowNanoseconds)
  }
}
