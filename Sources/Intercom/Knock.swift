import Cryptography

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
