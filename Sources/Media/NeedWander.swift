/// By how much what two seconds of arrivals need differs from what the two before did: the median.
///
/// It is the jitter's chance that is meant. Periods of devices on either side make arrivals differ, but alike in all
/// windows, and an xrun or a stall is two steps of it at most, whatever its size.
struct NeedWander {
  /// A window that has nothing of the one before.
  private static let windowNanoseconds = ArrivalWindow.spanNanoseconds
  /// A link of 2 ms of jitter is known after half a minute.
  private static let stepNanoseconds: Int64 = 50_000

  private(set) var nanoseconds: Int64 = 0
  private var last: (need: Int64, atNanoseconds: Int64)?

  /// Takes what is needed now.
  mutating func add(_ need: Int64, at now: Int64) {
    guard let before = last else {
      last = (need, now)
      return
    }
    guard now - before.atNanoseconds >= Self.windowNanoseconds else { return }
    last = (need, now)
    let step = abs(need - before.need) > nanoseconds ? Self.stepNanoseconds : -Self.stepNanoseconds
    nanoseconds = max(0, nanoseconds + step)
  }

  /// Begins anew; how much the link's jitter does stays known.
  mutating func restart() { last = nil }
}
