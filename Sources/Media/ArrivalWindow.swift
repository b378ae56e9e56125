/// The last packets' arrivals, and what they say about the delay that playout needs.
///
/// The *offset* of a stream is its frames' playout time minus their media time; it is what playout
/// control moves. Each packet has a *required offset*: with a smaller one it would have come too
/// late. On a grid of device periods that is a step function of the arrival time, so it is worked
/// out packet by packet at arrival. The slack of a packet is the offset less its required offset.
struct ArrivalWindow {
  /// How far back arrivals count: 2 s; 800 packets of the shortest kind.
  static let spanNanoseconds: Int64 = 2_000_000_000
  /// One packet in so many may be late, 100 at least.
  ///
  /// Twice as many as in the long run: two seconds are too short a time for less than 1 %, and from
  /// then on the highest of them counts.
  private var packetsPerLate: Int
  /// A packet shall come this much before it must.
  ///
  /// What arrivals vary is in the window anyway; this is for what the loop's wake-up does.
  static let marginNanoseconds: Int64 = 100_000
  /// Arrivals that, if spread in time and all late, prove a shift and not a spike.
  static let provingCount = 4
  /// Fewer arrivals, or within fewer periods, say too little: headroom is added.
  ///
  /// Codec frames of 120 frames meet periods of any power of 2 in 15 ways.
  static let tellingCount = 32
  private static let tellingPeriods: Int64 = 16

  /// One packet in so many may be later than is usual.
  private static let usualShare = 10
  private static let resolutionNanoseconds: Int64 = 50_000

  /// What the window says.
  struct Summary {
    /// With this offset all but the wanted share of the packets are in time.
    var requiredNanoseconds: Int64 = 0
    /// How much more than the fastest packet that is.
    var spreadNanoseconds: Int64 = 0
    /// Mean of arrival minus media time.
    var meanTransitNanoseconds: Int64 = 0
    /// The fastest packet's arrival minus media time.
    var leastTransitNanoseconds: Int64 = 0
  }

  private struct Arrival {
    var atNanoseconds: Int64 = 0
    var transitNanoseconds: Int64 = 0
    var requiredNanoseconds: Int64 = 0
  }

  private static let capacity = 1024
  /// The highest required offsets, descending: one more than may be late of a full window.
  private typealias Highest = InlineArray<11, Int64>
  private var arrivals = [Arrival](repeating: Arrival(), count: capacity)
  private var nextIndex = 0

  /// Packets in the window, aged ones included.
  private(set) var count = 0
  /// What the required offset was above the least one when there were arrivals enough. (Few
  /// arrivals need not be typical: keep-alives may all have the same place between two beats.)
  private var headroomNanoseconds: Int64?
  /// At first at least 2 ms: some periods of 64 frames on either side, and a little jitter.
  private static let firstHeadroomNanoseconds: Int64 = 2_000_000

  /// Nothing came yet; of what comes, in the long run, `lateShare` may be late.
  init(lateShare: Double = 0.005) { packetsPerLate = max(100, Int((0.5 / lateShare).rounded())) }

  /// Lets no more than `lateShare` be late.
  mutating func expectHoldUps(lateShare: Double) {
    packetsPerLate = max(packetsPerLate, Int((0.5 / lateShare).rounded()))
  }

  /// Forgets the arrivals, but not how much they varied.
  mutating func clear() { count = 0 }

  /// When the newest packet came.
  var newestNanoseconds: Int64? { count == 0 ? nil : self[0].atNanoseconds }

  /// Takes an arrival; `usableNanoseconds`: the playout time from which on it can be used.
  mutating func add(at arrival: Int64, mediaNanoseconds media: Int64, usableNanoseconds: Int64) {
    arrivals[nextIndex] = Arrival(
      atNanoseconds: arrival, transitNanoseconds: arrival - media,
      requiredNanoseconds: usableNanoseconds - media)
    nextIndex = (nextIndex + 1) & (Self.capacity - 1)
    count = min(count + 1, Self.capacity)
  }

  /// Works out the required offsets anew: the device's beats have moved.
  mutating func realign(usable: (Int64) -> Int64) {
    for age in 0..<count {
      let index = (nextIndex - 1 - age) & (Self.capacity - 1)
      let arrival = arrivals[index]
      arrivals[index].requiredNanoseconds =
        usable(arrival.atNanoseconds) - arrival.atNanoseconds + arrival.transitNanoseconds
    }
  }

  /// The path takes so much longer for the newest `count` packets: those before are taken as if they had come by it,
  /// too.
  mutating func delay(byNanoseconds step: Int64, sparing newest: Int) {
    for age in min(newest, count)..<count {
      let index = (nextIndex - 1 - age) & (Self.capacity - 1)
      arrivals[index].transitNanoseconds += step
      arrivals[index].requiredNanoseconds += step
    }
  }

  /// Forgets all but the newest arrivals.
  mutating func keep(newest: Int) { count = min(count, newest) }

  /// Packets hold so much more from now on, and are complete so much later: the newest arrival is taken as if it had
  /// been so; how packets of that length meet the beats, the others do not tell.
  mutating func delay(byNanoseconds step: Int64) {
    guard count > 0 else { return }
    let newest = (nextIndex - 1) & (Self.capacity - 1)
    arrivals[newest].transitNanoseconds += step
    arrivals[newest].requiredNanoseconds += step
    (count, headroomNanoseconds) = (1, nil)
  }

  /// The least offset which would have kept the last packets in time, if they came spread over at
  /// least one and a half of their durations; a spike releases its packets all at once.
  func provenOffset(durationNanoseconds: Int64) -> Int64? {
    guard count >= Self.provingCount else { return nil }
    let span = self[0].atNanoseconds - self[Self.provingCount - 1].atNanoseconds
    guard 2 * span >= 3 * durationNanoseconds else { return nil }
    var least = self[0].requiredNanoseconds
    for age in 1..<Self.provingCount { least = min(least, self[age].requiredNanoseconds) }
    return least
  }

  /// Looks through the window: some microseconds.
  ///
  /// - Parameters:
  ///   - period: bounds from below what a stream of unknown habits gets as headroom, as packets may
  ///     come in bunches a period apart.
  ///   - slope: how much a second of sound comes later than the second before: what is old is seen
  ///     as it would be now.
  mutating func summarise(periodNanoseconds period: Int64, slope: Double) -> Summary {
    guard count > 0 else { return Summary() }
    let newest = self[0]
    var highest = Highest(repeating: .min)
    var (transits, recent): (Int64, Int64) = (0, 0)
    var oldestNanoseconds = newest.atNanoseconds
    var leastTransit = newest.transitNanoseconds
    var leastRequired = newest.requiredNanoseconds
    for age in 0..<count {
      let arrival = self[age]
      if newest.atNanoseconds - arrival.atNanoseconds > Self.spanNanoseconds { break }
      recent += 1
      oldestNanoseconds = min(oldestNanoseconds, arrival.atNanoseconds)
      let since = Int64(slope * Double(newest.atNanoseconds - arrival.atNanoseconds))
      let transit = arrival.transitNanoseconds + since
      let required = arrival.requiredNanoseconds + since
      transits += transit - newest.transitNanoseconds
      leastTransit = min(leastTransit, transit)
      leastRequired = min(leastRequired, required)
      Self.rank(required, in: &highest)
    }
    var required = highest[Int(recent) / packetsPerLate]
    let spanNanoseconds = newest.atNanoseconds - oldestNanoseconds
    if recent >= Self.tellingCount && spanNanoseconds >= Self.tellingPeriods * period {
      headroomNanoseconds = required - leastRequired
    } else {
      let headroom = headroomNanoseconds ?? max(Self.firstHeadroomNanoseconds, 3 * period / 2)
      required = max(required, leastRequired + headroom)
    }
    return Summary(
      requiredNanoseconds: required, spreadNanoseconds: required - leastRequired,
      meanTransitNanoseconds: newest.transitNanoseconds + transits / recent,
      leastTransitNanoseconds: leastTransit)
  }

  /// Mean of arrival minus media time of the last two seconds, less their latest tenth: what a stall held up does not
  /// tell how long the way is, and a playout delay that is fixed is not moved for it.
  ///
  /// Looks through the window some ten times. `slope` as for `summarise`.
  func usualTransitNanoseconds(slope: Double) -> Int64 {
    guard count > 0 else { return 0 }
    let newest = self[0]
    func isRecent(_ age: Int) -> Bool {
      age < count && newest.atNanoseconds - self[age].atNanoseconds <= Self.spanNanoseconds
    }
    func transit(_ age: Int) -> Int64 {
      self[age].transitNanoseconds
        + Int64(slope * Double(newest.atNanoseconds - self[age].atNanoseconds))
    }
    var (recent, least, most) = (0, Int64.max, Int64.min)
    while isRecent(recent) {
      least = min(least, transit(recent))
      most = max(most, transit(recent))
      recent += 1
    }
    // Nine in ten came no later than `most`; found by halves.
    var low = least
    while most - low > Self.resolutionNanoseconds {
      let middle = low + (most - low) / 2
      let later = (0..<recent).count { transit($0) > middle }
      if later * Self.usualShare > recent { low = middle } else { most = middle }
    }
    var (sum, usual): (Int64, Int64) = (0, 0)
    for age in 0..<recent where transit(age) <= most {
      sum += transit(age) - least
      usual += 1
    }
    return least + sum / max(1, usual)
  }

  /// The arrival `age` packets before the newest.
  private subscript(age: Int) -> Arrival { arrivals[(nextIndex - 1 - age) & (Self.capacity - 1)] }

  /// Inserts a value into the descending list of the highest ones.
  private static func rank(_ value: Int64, in highest: inout Highest) {
    var place = highest.count - 1
    guard value > highest[place] else { return }
    while place > 0 && highest[place - 1] < value {
      highest[place] = highest[place - 1]
      place -= 1
    }
    highest[place] = value
  }
}

/// The smoothed difference of neighbouring packets' transit times (RFC 3550 §6.4.1, §A.8).
struct InterarrivalJitter {
  private var lastTransitNanoseconds: Int64?

  /// The estimate, which forgets a sixteenth with each packet.
  private(set) var nanoseconds: Int64 = 0

  /// Takes a packet's arrival minus its media time.
  mutating func add(transitNanoseconds transit: Int64) {
    if let last = lastTransitNanoseconds { nanoseconds += (abs(transit - last) - nanoseconds) / 16 }
    lastTransitNanoseconds = transit
  }

  /// Another time line begins.
  mutating func restart() { lastTransitNanoseconds = nil }
}
