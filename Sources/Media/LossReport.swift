public import RTP

/// How a run of a stream's packets was received, packet by packet: what a receiver tells its sender
/// (RFC 3611 §4.1, RFC 5725).
public struct LossReport: Sendable {
  /// The most packets that one report tells of; the oldest are left out.
  static let mostPackets: Int64 = 1024

  /// The first packet told of.
  public let begin: SequenceNumber
  /// How many from it on.
  public private(set) var count = 0
  private var came = InlineArray<16, UInt64>(repeating: 0)
  private var heard = InlineArray<16, UInt64>(repeating: 0)

  init(begin: SequenceNumber) { self.begin = begin }

  /// Whether the packet at `index` came itself.
  public func came(_ index: Int) -> Bool { came[index / 64] >> UInt64(index % 64) & 1 == 1 }

  /// Whether its sound was there in time, by itself or repaired.
  public func heard(_ index: Int) -> Bool { heard[index / 64] >> UInt64(index % 64) & 1 == 1 }

  mutating func append(came hasCome: Bool, heard isHeard: Bool) {
    precondition(count < Self.mostPackets)
    if hasCome { came[count / 64] |= 1 << UInt64(count % 64) }
    if isHeard { heard[count / 64] |= 1 << UInt64(count % 64) }
    count += 1
  }
}
