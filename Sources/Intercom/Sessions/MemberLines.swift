import Cryptography
import Lines
import RTP

/// What the media path knows of a member's lines; who said nothing is on line 0, which all are on.
struct MemberLines {
  /// This node's lines that it is on.
  private(set) var addressed = LineSet.everyone
  /// By its numbers, how loud packets for a line are played.
  private var gains = InlineArray<32, Float>(repeating: 0)

  /// Those of who said nothing, all as loud as they come.
  init() { gains[0] = 1 }

  /// As the lines' desk has them; gains that are missing are 0.
  init(_ member: LineRouting.Member) {
    addressed = member.addressed
    for number in gains.indices {
      gains[number] = number < member.gains.count ? member.gains[number] : 0
    }
  }

  /// How loud a packet for these lines is played: as the loudest of them; nil: for all.
  func gain(of lines: LineSet?) -> Float {
    guard let lines else { return gains[0] }
    var (gain, rest) = (Float(0), lines.rawValue)
    while rest != 0 {
      gain = max(gain, gains[rest.trailingZeroBitCount])
      rest &= rest - 1
    }
    return gain
  }
}

/// The lines of members, as sessions come to know them.
///
/// Loop thread only; rare, and may allocate.
final class LineTable {
  private var members: [NodeID: MemberLines] = [:]
  private var others = MemberLines()

  /// Takes what holds from now on.
  func take(_ routing: LineRouting) {
    members = routing.members.mapValues(MemberLines.init)
    others = MemberLines(routing.others)
  }

  /// A member's.
  func lines(of node: NodeID) -> MemberLines { members[node] ?? others }
}
