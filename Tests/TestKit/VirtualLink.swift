/// A link in virtual time: takes datagrams, gives them back later, or not, or twice.
public struct VirtualLink {
  /// A datagram and when it comes out.
  public struct Delivery: Hashable {
    /// When it arrives.
    public let arrivalNanoseconds: Int64
    /// Its bytes.
    public let bytes: [UInt8]

  }

  /// How a datagram fared.
  public struct Journey: Hashable {
    /// When it was sent.
    public let sentNanoseconds: Int64
    /// When it arrives; nil: never.
    public let arrivalNanoseconds: Int64?
    /// Whether it was sent in a drought, or held back by one.
    public let isInDrought: Bool
  }

  /// IPv4 and UDP headers, which a rate cap counts too.
  private static let headerBytes = 28

  private var impairment: Impairment
  private var underWay = DepartureQueue<[UInt8]>()
  /// A packet may have passed some of them that the next was sent in.
  private var recentDroughts: [Range<Int64>] = []

  /// How all datagrams fared, in the order in which they were sent.
  public private(set) var journeys: [Journey] = []

  /// Makes a link whose randomness comes from `seed` alone.
  public init(model: LinkModel, seed: UInt64) {
    impairment = Impairment(model: model, seed: seed)
  }

  /// Makes a link that changes as a scenario says, from moment 0 on.
  public init(scenario: LinkScenario, seed: UInt64) {
    impairment = Impairment(scenario: scenario, seed: seed)
  }

  /// How packets are treated from now on.
  public var model: LinkModel {
    get { impairment.model }
    set { impairment.model = newValue }
  }

  /// What was done to the datagrams.
  public var counters: LinkCounters { impairment.counters }

  /// Datagrams that do not arrive.
  public var lostCount: Int { counters.lost + counters.dropped }

  /// Datagrams that have yet to arrive.
  public var underWayCount: Int { underWay.count }

  /// Holds everything back until a moment, then lets it go at once: a spike.
  public mutating func hold(untilNanoseconds: Int64) {
    impairment.hold(untilNanoseconds: untilNanoseconds)
  }

  /// Takes a datagram; moments never go back.
  public mutating func send(_ bytes: [UInt8], atNanoseconds now: Int64) {
    let packetBytes = bytes.count + Self.headerBytes
    let fate = impairment.fate(packetBytes: packetBytes, atNanoseconds: now)
    guard case .arrives(let arrival, let copyArrival) = fate else {
      note(sentNanoseconds: now, arrivalNanoseconds: nil)
      return
    }
    note(sentNanoseconds: now, arrivalNanoseconds: arrival)
    underWay.push(bytes, atNanoseconds: arrival)
    if let copyArrival { underWay.push(bytes, atNanoseconds: copyArrival) }
  }

  private mutating func note(sentNanoseconds sent: Int64, arrivalNanoseconds arrival: Int64?) {
    if let drought = impairment.drought, drought != recentDroughts.last {
      recentDroughts = recentDroughts.suffix(3) + [drought]
    }
    journeys.append(
      Journey(
        sentNanoseconds: sent, arrivalNanoseconds: arrival,
        isInDrought: recentDroughts.contains { $0.contains(sent) || $0.upperBound == arrival }))
  }

  /// The next datagram to arrive not after a moment.
  public mutating func receive(byNanoseconds now: Int64) -> Delivery? {
    underWay.pop(byNanoseconds: now).map {
      Delivery(arrivalNanoseconds: $0.nanoseconds, bytes: $0.payload)
    }
  }
}
