import Media

/// How long before a callback its sound must be begun, from how long that took lately.
///
/// What counts is the time from the moment a render was planned for to its end: the wake-up of the loop, what else it
/// does first, the decoding of all streams whose turn it is. The lead covers all but one in 100 of them: each one that
/// it does not cover is a hole in the sound, and each 0.1 ms of it is heard as 0.1 ms of delay. A machine that is held
/// up for longer than the classes reach is not helped by any lead, so such times do not count.
///
/// Habit alone would let a crowd down: that all streams fall due in one wake-up is rare, but then each of them would
/// have its hole. So the lead has room for the crowd, by what its pieces usually take, and the more streams there are,
/// for the most that was done in one wake-up.
///
/// One in 100 is a hole or more a second where packets are short. So what single ones took longer in the last two
/// minutes is added, up to 0.25 ms (`RareExcess`). What comes later finds that the callback went on with the last
/// pitch period (`rt_conceal.h`), which is hardly heard.
///
/// Loop thread only.
struct RenderLead {
  /// What a machine that nothing is known of gets: a wake-up and a decoding or two.
  private static let firstNanoseconds: Int64 = 300_000
  /// For callbacks that come before their prediction.
  private static let marginNanoseconds: Int64 = 50_000
  private static let classNanoseconds: Int64 = 50_000
  private static let classCount = 30
  /// What waking up takes as a rule.
  private static let wakeUpNanoseconds: Int64 = 50_000
  private static let rendersPerLate = 100
  /// Renders between two looks at the classes.
  private static let renewalRenders = 64
  /// Renders after which the past counts for half: at 10 ms a packet within a minute.
  private static let memoryRenders = 4096

  private static let mostRareNanoseconds: Int64 = 250_000
  private var rare = RareExcess(mostNanoseconds: mostRareNanoseconds)
  private var classes = InlineArray<30, Int>(repeating: 0)
  private var total = 0
  private var sinceRenewal = 0
  private var habitNanoseconds = firstNanoseconds
  /// The most that a crowd takes; in this stretch of the memory, and in the one before.
  private var (crowdNanoseconds, formerCrowdNanoseconds): (Int64, Int64) = (0, 0)

  /// The lead, a multiple of 50 µs.
  private(set) var nanoseconds = firstNanoseconds

  /// Takes the time from a planned render's moment to its end.
  ///
  /// - Parameters:
  ///   - crowd: what the work takes when all streams fall due in one wake-up.
  ///   - now: when that was; nil: what is rare is not looked at.
  mutating func observe(
    tookNanoseconds took: Int64, crowdNanoseconds crowd: Int64 = 0, atNanoseconds now: Int64? = nil
  ) {
    if let now { rare.add(took - max(habitNanoseconds, leastNanoseconds), at: now) }
    crowdNanoseconds = max(crowdNanoseconds, crowd)
    let index = Int(max(took, 0) / Self.classNanoseconds)
    if index < Self.classCount {
      classes[index] += 1
      total += 1
      sinceRenewal += 1
    }
    if sinceRenewal == Self.renewalRenders {
      sinceRenewal = 0
      renew()
    }
    nanoseconds = max(habitNanoseconds, leastNanoseconds) + rare.nanoseconds
  }

  private var leastNanoseconds: Int64 {
    let crowd = Self.wakeUpNanoseconds + max(crowdNanoseconds, formerCrowdNanoseconds)
    let classes = (crowd + Self.classNanoseconds - 1) / Self.classNanoseconds
    return classes * Self.classNanoseconds + Self.marginNanoseconds
  }

  private mutating func renew() {
    var index = Self.classCount - 1
    var longer = classes[index]
    while index > 0 && longer <= total / Self.rendersPerLate {
      index -= 1
      longer += classes[index]
    }
    habitNanoseconds = Int64(index + 1) * Self.classNanoseconds + Self.marginNanoseconds
    guard total >= Self.memoryRenders else { return }
    total = 0
    (formerCrowdNanoseconds, crowdNanoseconds) = (crowdNanoseconds, 0)
    for index in classes.indices {
      classes[index] /= 2
      total += classes[index]
    }
  }
}
