import Cryptography
import EventLoop

/// “I am up”: one datagram on the media port, for a member that lost this node (``Mesh``, *proof of life*).
///
/// Octets: `CKN1`, then the sender's ID. In clear, and anybody can send one: it makes its reader dial, once a second at
/// most. The first octet is neither RTP's nor RTCP's (RFC 7983 §7 leaves 64…79 to TURN, which has no business here).
enum Knock {
  private static let mark: InlineArray<4, UInt8> = [0x43, 0x4B, 0x4E, 0x31]
  static let byteCount = mark.count + NodeID.byteCount

  /// Writes a node's knock; its length, 0 where there is no room.
  static func write(_ node: NodeID, into packet: inout MutableRawSpan) -> Int {
    guard packet.byteCount >= byteCount else { return 0 }
    for index in mark.indices {
      packet.storeBytes(of: mark[index], toByteOffset: index, as: UInt8.self)
    }
    for (index, octet) in node.octets.enumerated() {
      packet.storeBytes(of: octet, toByteOffset: mark.count + index, as: UInt8.self)
    }
    return byteCount
  }

  private static func isOne(_ datagram: RawSpan) -> Bool {
    guard datagram.byteCount == byteCount else { return false }
    for index in mark.indices where octet(datagram, index) != mark[index] { return false }
    return true
  }

  /// Whose knock a datagram says it is; nil: it is none.
  ///
  /// Allocates nothing, as anybody can send any number.
  static func node(of datagram: RawSpan) -> NodeID? {
    guard isOne(datagram) else { return nil }
    return NodeID(octets: datagram.extracting(droppingFirst: mark.count))
  }

  private static func octet(_ datagram: RawSpan, _ offset: Int) -> UInt8 {
    unsafe datagram.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}

/// Which knocks are passed on, as anybody may send any number of them.
///
/// Each node that was a member, or that this one knocks at, has a share of its own; all others share one. So forged IDs
/// cannot starve known nodes, and a spoofed known ID causes no more than a genuine knock.
struct KnockBudget {
  /// Half of what a sign of life is good for (`Mesh`, *proof of life*).
  private static let intervalNanoseconds: Int64 = 500_000_000
  /// As many as there are peers in a mesh.
  private static let mostKnown = 512

  /// When a knock of each was passed on last.
  private var known: [NodeID: Int64] = [:]
  private var others = AdmissionBudget()

  /// Gives a node its own share.
  mutating func know(_ node: NodeID) {
    guard known[node] == nil else { return }
    if known.count == Self.mostKnown { _ = known.popFirst() }
    known[node] = .min / 2
  }

  /// True when a knock of a node may be passed on now; allocates nothing.
  mutating func take(_ node: NodeID, nowNanoseconds: Int64) -> Bool {
    guard let last = known[node] else { return others.take(nowNanoseconds: nowNanoseconds) }
    guard nowNanoseconds - last >= Self.intervalNanoseconds else { return false }
    known[node] = nowNanoseconds
    return true
  }
}

/// Signs of life beside media; what is sent, and what is passed on, is rare and may allocate.
///
/// Loop thread only.
final class KnockDesk {
  private let outlet: PacketOutlet
  private let drops: DatagramDrops
  private var budget = KnockBudget()
  /// Gets knocks that are passed on: hearsay, as anybody may send some; must not block.
  var heard: @Sendable (NodeID) -> Void = { _ in }

  init(outlet: PacketOutlet, drops: DatagramDrops) {
    (self.outlet, self.drops) = (outlet, drops)
  }

  /// Gives a node a share of its own.
  func know(_ node: NodeID) { budget.know(node) }

  /// Tells another node, at these addresses, that this one is up.
  func send(at other: NodeID, _ addresses: [SocketAddress], as node: NodeID) {
    budget.know(other)
    outlet.sendPlain(to: addresses) { Knock.write(node, into: &$0) }
  }

  /// Passes a knock on, if it is not one too many; what is none either is counted.
  func hear(_ datagram: RawSpan, nowNanoseconds: Int64) {
    guard let node = Knock.node(of: datagram) else {
      drops.count(.notRTP)
      return
    }
    if budget.take(node, nowNanoseconds: nowNanoseconds) { heard(node) }
  }
}
