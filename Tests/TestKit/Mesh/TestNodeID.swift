public import Cryptography

extension NodeID {
  /// An ID for a test: its first octet and its last two, zeros between them.
  public static func test(_ first: UInt8, _ last: UInt16 = 0) -> NodeID {
    var octets = [UInt8](repeating: 0, count: byteCount)
    octets[0] = first
    octets[byteCount - 2] = UInt8(last >> 8)
    octets[byteCount - 1] = UInt8(last & 0xFF)
    guard let node = NodeID(octets: octets) else { preconditionFailure("no ID: \(octets)") }
    return node
  }
}
