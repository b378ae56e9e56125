import Glibc

/// One direction of a link: decides what becomes of each packet, sans-I/O.
///
/// The same seed, packets and times give the same fates. Each kind of impairment has dice of its own, thrown for every
/// packet, so that changing one leaves what the others do as it was.
public struct Impairment: Sendable {
  /// How packets are treated from now on.
  public var model: LinkModel
  /// What was done so far.
  public private(set) var counters = LinkCounters()

  private var changes: ArraySlice<LinkScenario.Change>
  private var lossDice: SplitMix64
  private var burstDice: SplitMix64
  private var jitterDice: SplitMix64
  private var detourDice: SplitMix64
  private var copyDice: SplitMix64
  private var droughts: Droughts
  private var isInBurst = false
  private var heldUntilNanoseconds = Int64.min
  private var busyUntilNanoseconds = Int64.min
  private var newestArrivalNanoseconds = Int64.min

  /// A link that stays as it is.
  public init(model: LinkModel, seed: UInt64) {
    self.init(scenario: LinkScenario(model), seed: seed)
  }

  /// A link that changes as a scenario says, from moment 0 on.
  public init(scenario: LinkScenario, seed: UInt64) {
    model = scenario.model
    changes = scenario.changes[...]
    var seeds = SplitMix64(seed: seed)
    lossDice = SplitMix64(seed: seeds.next())
    burstDice = SplitMix64(seed: seeds.next())
    jitterDice = SplitMix64(seed: seeds.next())
    detourDice = SplitMix64(seed: seeds.next())
    copyDice = SplitMix64(seed: seeds.next())
    droughts = Droughts(random: SplitMix64(seed: seeds.next()))
  }

  /// Holds everything back until a moment, then lets it go at once: a spike.
  public mutating func hold(untilNanoseconds: Int64) { heldUntilNanoseconds = untilNanoseconds }

  /// The drought that the packet which arrives last comes before or at the end of; nil: the link has had none.
  public var drought: Range<Int64>? { droughts.current }

  /// What becomes of the next packet; moments never go back.
  ///
  /// - Parameters:
  ///   - packetBytes: the IP packet's length, headers included.
  ///   - now: when it is sent.
  public mutating func fate(packetBytes: Int, atNanoseconds now: Int64) -> PacketFate {
    applyChanges(until: now)
    let isLost = losesNext()
    let jitter = nextJitter()
    let isDetoured = detourDice.chance(model.reorder)
    let copyDelay = nextCopyDelay()
    guard let departure = departure(packetBytes: packetBytes, at: now) else {
      counters.dropped += 1
      return .dropped
    }
    guard !isLost else {
      counters.lost += 1
      return .lost
    }
    counters.forwarded += 1
    if isDetoured { counters.reordered += 1 }
    if copyDelay != nil { counters.duplicated += 1 }
    let arrival = arrival(of: departure, jitter: jitter, isDetoured: isDetoured)
    return .arrives(atNanoseconds: arrival, copyAtNanoseconds: copyDelay.map { arrival + $0 })
  }

  private mutating func applyChanges(until now: Int64) {
    while let change = changes.first, change.atNanoseconds <= now {
      model = change.model
      changes.removeFirst()
    }
  }

  private mutating func losesNext() -> Bool {
    if let bursts = model.bursts {
      isInBurst = isInBurst ? !burstDice.chance(bursts.end) : burstDice.chance(bursts.begin)
    } else {
      isInBurst = false
    }
    return lossDice.chance(model.loss) || isInBurst
  }

  private mutating func nextJitter() -> Int64 {
    switch model.jitter {
    case .none: return 0
    case .uniform(let nanoseconds): return Int64(jitterDice.unit() * Double(nanoseconds))
    case .gaussian(let nanoseconds): return Int64(jitterDice.gaussian() * Double(nanoseconds))
    case .wifi(let radio):
      // Of a normal distribution, 99 % are below 2.326 deviations.
      let median = Double(radio.medianNanoseconds)
      let deviation = log(Double(radio.p99Nanoseconds) / median) / 2.326
      return Int64(median * exp(deviation * jitterDice.gaussian()))
    }
  }

  private mutating func nextCopyDelay() -> Int64? {
    copyDice.chance(model.duplication) ? Int64(copyDice.unit() * 5_000_000) : nil
  }

  /// When the packet has passed the rate cap, nil if its queue is full.
  private mutating func departure(packetBytes: Int, at now: Int64) -> Int64? {
    guard let rate = model.rateKilobits else { return now }
    let start = max(now, busyUntilNanoseconds)
    guard start - now <= model.queueNanoseconds else { return nil }
    busyUntilNanoseconds = start + Int64(Double(packetBytes) * 8e6 / rate)
    return busyUntilNanoseconds
  }

  private mutating func arrival(of departure: Int64, jitter: Int64, isDetoured: Bool) -> Int64 {
    let wanted = departure + max(0, model.delayNanoseconds + jitter)
    var arrival = max(wanted, heldUntilNanoseconds)
    if case .wifi(let radio) = model.jitter {
      arrival = droughts.release(max(arrival, newestArrivalNanoseconds), of: radio)
    } else if model.keepsOrder {
      arrival = max(arrival, newestArrivalNanoseconds)
    }
    newestArrivalNanoseconds = max(newestArrivalNanoseconds, arrival)
    return isDetoured ? arrival + model.reorderNanoseconds : arrival
  }
}
