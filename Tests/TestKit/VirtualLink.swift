/// A link in virtual time: takes datagrams, gives them back later, or not, or twice.
public struct VirtualLink {
  /// A datagram and when it comes out.
  public struct Delivery: Hashable {
    /// When it arrives.
    public let arrivalNanoseconds: Int64
    /// Its bytes.
    public let bytes: [UInt8]

  }

  /// How packets are treated from now on.
  public var model: LinkModel
  /// Datagrams given to the link.
  public private(set) var sentCount = 0
  /// Datagrams it lost.
  public private(set) var lostCount = 0

  /// Datagrams that have yet to arrive.
  public var underWayCount: Int { underWay.count }

  private var random: SplitMix64
  private var isInBurst = false
  private var heldUntilNanoseconds = Int64.min
  private var newestArrivalNanoseconds = Int64.min
  /// Latest arrival first.
  private var underWay: [Delivery] = []

  /// Makes a link whose randomness comes from `seed` alone.
  public init(model: LinkModel, seed: UInt64) {
    self.model = model
    random = SplitMix64(seed: seed)
  }

  /// Holds everything back until a moment, then lets it go at once: a spike.
  public mutating func hold(untilNanoseconds: Int64) { heldUntilNanoseconds = untilNanoseconds }

  /// Takes a datagram.
  public mutating func send(_ bytes: [UInt8], atNanoseconds now: Int64) {
    sentCount += 1
    guard !losesNext() else {
      lostCount += 1
      return
    }
    let arrival = now + delay()
    enqueue(bytes, at: arrival)
    if random.chance(model.duplication) {
      enqueue(bytes, at: arrival + Int64(random.unit() * 5_000_000))
    }
  }

  /// The next datagram to arrive not after a moment.
  public mutating func receive(byNanoseconds now: Int64) -> Delivery? {
    guard let next = underWay.last, next.arrivalNanoseconds <= now else { return nil }
    return underWay.removeLast()
  }

  private mutating func losesNext() -> Bool {
    if let bursts = model.bursts {
      isInBurst = isInBurst ? !random.chance(bursts.end) : random.chance(bursts.begin)
    } else {
      isInBurst = false
    }
    return random.chance(model.loss) || isInBurst
  }

  private mutating func delay() -> Int64 {
    var delay = model.delayNanoseconds
    switch model.jitter {
    case .none: break
    case .uniform(let nanoseconds): delay += Int64(random.unit() * Double(nanoseconds))
    case .gaussian(let nanoseconds): delay += Int64(abs(random.gaussian()) * Double(nanoseconds))
    }
    if random.chance(model.reorder) { delay += model.reorderNanoseconds }
    return delay
  }

  private mutating func enqueue(_ bytes: [UInt8], at wanted: Int64) {
    var arrival = max(wanted, heldUntilNanoseconds)
    if model.keepsOrder { arrival = max(arrival, newestArrivalNanoseconds) }
    newestArrivalNanoseconds = max(newestArrivalNanoseconds, arrival)
    let delivery = Delivery(arrivalNanoseconds: arrival, bytes: bytes)
    var index = underWay.count
    while index > 0, underWay[index - 1].arrivalNanoseconds <= arrival { index -= 1 }
    underWay.insert(delivery, at: index)
  }
}
