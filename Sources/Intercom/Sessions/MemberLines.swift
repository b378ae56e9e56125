import Cryptography
import Lines
import RTP

/// What the media path knows of a member's lines; who said nothing is on line 0, which all are on.
struct MemberLines {
  /// This node's lines that it is on.
  private(set) var addressed = LineSet.everyone
  /// By its numbers, how loud packets for a line are played.
  private var gains = InlineArray<32, Float>(repeating: 0)
  /// By its numbers, the place of that line here, as a bit.
  private var places = InlineArray<32, UInt64>(repeating: 0)
  private var pans = InlineArray<32, Float>(repeating: 0)
  private var priorities = InlineArray<32, UInt8>(repeating: UInt8(EarSettings.usualPriority))

  /// Private lines that both are on, by the audience of the member's stream.
  private var privateLines: [Audience: LineRouting.PrivateLine] = [:]

  /// Those of who said nothing: line 0 as loud as it comes, and announcements.
  init() {
    self.init(.unknown)
    places[0] = 1
  }

  /// As the lines' desk has them; gains that are missing are 0.
  init(_ member: LineRouting.Member) {
    addressed = member.addressed
    for number in gains.indices {
      gains[number] = number < member.gains.count ? member.gains[number] : 0
    }
    for number in priorities.indices where number < member.priorities.count {
      priorities[number] = UInt8(member.priorities[number])
    }
    for number in places.indices where number < member.places.count {
      places[number] = member.places[number].map { 1 << UInt64($0) } ?? 0
    }
    for number in pans.indices where number < member.pans.count {
      pans[number] = member.pans[number]
    }
  }

  /// Where a packet for these lines is heard: as the loudest of them; nil: for all.
  func pan(of lines: LineSet?) -> Float {
    var (pan, gain, rest) = (Float(0), Float(0), lines?.rawValue ?? 1)
    while rest != 0 {
      let number = rest.trailingZeroBitCount
      if gains[number] > gain { (pan, gain) = (pans[number], gains[number]) }
      rest &= rest - 1
    }
    return pan
  }

  /// The places of the lines of a packet that are heard, a bit each; nil: it is for all.
  func places(of lines: LineSet?) -> UInt64 {
    guard let lines else { return gains[0] > 0 ? places[0] : 0 }
    var (found, rest): (UInt64, UInt32) = (0, lines.rawValue)
    while rest != 0 {
      let number = rest.trailingZeroBitCount
      if gains[number] > 0 { found |= places[number] }
      rest &= rest - 1
    }
    return found
  }

  /// Takes the private lines that both are on.
  mutating func take(_ privateLines: [Audience: LineRouting.PrivateLine]) {
    self.privateLines = privateLines
  }

  /// A private line; nil: this node is not on it, or that member is not.
  func privateLine(_ audience: Audience) -> LineRouting.PrivateLine? { privateLines[audience] }

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

  /// The highest priority among the lines of a packet that are heard; nil: it is for all.
  func priority(of lines: LineSet?) -> Int {
    guard let lines else { return Int(priorities[0]) }
    var (priority, rest): (UInt8?, UInt32) = (nil, lines.rawValue)
    while rest != 0 {
      let number = rest.trailingZeroBitCount
      if gains[number] > 0 { priority = max(priority ?? 0, priorities[number]) }
      rest &= rest - 1
    }
    return priority.map(Int.init) ?? EarSettings.usualPriority
  }
}

/// The lines of members, as sessions come to know them.
///
/// Loop thread only; rare, and may allocate.
final class LineTable {
  private var members: [NodeID: MemberLines] = [:]
  private var others = MemberLines()
  private var privateLines: [Audience: LineRouting.PrivateLine] = [:]

  /// Takes what holds from now on.
  func take(_ routing: LineRouting) {
    members = routing.members.mapValues(MemberLines.init)
    others = MemberLines(routing.others)
    privateLines = routing.privateLines
  }

  /// A member's.
  func lines(of node: NodeID) -> MemberLines {
    var lines = members[node] ?? others
    if !privateLines.isEmpty {
      lines.take(privateLines.filter { $0.value.members.contains(node) })
    }
    return lines
  }
}
