import Glibc

/// When a radio is silent; asked about moments that never go back.
struct Droughts: Sendable {
  private var random: SplitMix64
  private var radio: WiFi?
  private var begin = Int64.min
  private var end = Int64.min

  init(random: SplitMix64) { self.random = random }

  /// The one that the moment asked about last was before or in; nil: nothing was asked yet.
  var current: Range<Int64>? { radio == nil ? nil : begin..<end }

  /// When what would arrive at a moment does: then, or at the end of the drought.
  mutating func release(_ moment: Int64, of radio: WiFi) -> Int64 {
    if radio != self.radio {
      self.radio = radio
      end = moment
      scheduleNext(radio)
    }
    while moment >= end { scheduleNext(radio) }
    return moment < begin ? moment : end
  }

  private mutating func scheduleNext(_ radio: WiFi) {
    let gap = -log(1 - random.unit()) * Double(radio.droughtGapNanoseconds)
    let shortest = radio.droughtNanoseconds.lowerBound
    let spread = Double(radio.droughtNanoseconds.upperBound - shortest)
    begin = end + Int64(gap)
    // Never of no length, or the search for the next would not end.
    end = begin + max(1, shortest + Int64(random.unit() * spread))
  }
}
