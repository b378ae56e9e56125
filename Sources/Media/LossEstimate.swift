public import RTP

/// A receiver's loss, and the residual loss with copies at each distance.
///
/// Each is the worse of the last 2.5 s and the last 10 s: of the packets that reports of that time told of, however few
/// they are in a pause.
public struct LossEstimate: Sendable {
  /// Possible distances of copies; 0: none.
  static let distances: [(near: Int, far: Int)] = [
    (0, 0), (1, 0), (2, 0), (3, 0), (1, 2), (1, 3), (2, 4),
  ]
  private static let recentNanoseconds: Int64 = 2_500_000_000
  private static let pastNanoseconds: Int64 = 10_000_000_000

  /// Fewer packets, in a pause, give no share to act on.
  private static let leastPackets = 25

  private var unrepaired = InlineArray<7, Double>(repeating: 0)

  /// Share of packets lost before repair.
  public var lostShare: Double { unrepaired[0] }

  /// No losses.
  public init() {}

  /// Adds reports on packets of this many frames.
  public init(_ pattern: LossPattern, framesPerPacket: Int, nowNanoseconds now: Int64) {
    let packet = MediaClock.nanoseconds(frames: Int64(framesPerPacket))
    let told = { span in min(Int(span / packet), pattern.packets(sinceNanoseconds: now - span)) }
    let (recent, past) = (told(Self.recentNanoseconds), told(Self.pastNanoseconds))
    for (index, distances) in Self.distances.enumerated() {
      unrepaired[index] = max(
        Self.share(pattern, recent, distances), Self.share(pattern, past, distances))
    }
  }

  /// Share of the packets that copies as in a recipe leave; distances that are not among the known
  /// ones count as none.
  func unrepairedShare(_ recipe: RepairRecipe) -> Double {
    let index = Self.distances.firstIndex { distances in
      distances.near == recipe.nearDistance && distances.far == recipe.farDistance
    }
    return unrepaired[index ?? 0]
  }

  private static func share(
    _ pattern: LossPattern, _ packets: Int, _ distances: (near: Int, far: Int)
  ) -> Double {
    let counted = min(packets, pattern.count - RepairRecipe.greatestDistance)
    guard counted > 0 else { return 0 }
    let left = pattern.unrepaired(
      packets: packets, nearDistance: distances.near, farDistance: distances.far)
    return Double(left) / Double(max(counted, leastPackets))
  }
}

/// How a run of a stream's packets was received, packet by packet: what a receiver reports to its sender
/// (RFC 3611 §4.1, RFC 5725).
public struct LossReport: Sendable {
  /// Most packets in one report; the oldest are left out.
  static let mostPackets: Int64 = 1024

  /// The first packet reported.
  public let begin: SequenceNumber
  /// How many from it on.
  public private(set) var count = 0
  private var came = InlineArray<16, UInt64>(repeating: 0)
  private var heard = InlineArray<16, UInt64>(repeating: 0)

  init(begin: SequenceNumber) { self.begin = begin }

  /// Whether the packet at `index` arrived itself.
  public func came(_ index: Int) -> Bool { came[index / 64] >> UInt64(index % 64) & 1 == 1 }

  /// Whether its audio was there in time, received or repaired.
  public func heard(_ index: Int) -> Bool { heard[index / 64] >> UInt64(index % 64) & 1 == 1 }

  mutating func append(came hasCome: Bool, heard isHeard: Bool) {
    precondition(count < Self.mostPackets)
    if hasCome { came[count / 64] |= 1 << UInt64(count % 64) }
    if isHeard { heard[count / 64] |= 1 << UInt64(count % 64) }
    count += 1
  }
}
