/// A node's lasting name: the SHA-256 fingerprint of its public key, 32 octets.
///
/// Ordered as its octets are; of a pair, the higher one dials.
public struct NodeID: Hashable, Comparable, Sendable {
  /// Octets of an ID.
  public static let byteCount = 32

  private let first, second, third, fourth: UInt64

  /// Takes the octets of a fingerprint; nil unless there are ``byteCount`` of them.
  public init?(octets: some Collection<UInt8>) {
    guard octets.count == Self.byteCount else { return nil }
    var words: [UInt64] = [0, 0, 0, 0]
    for (index, octet) in octets.enumerated() {
      words[index / 8] = words[index / 8] << 8 | UInt64(octet)
    }
    (first, second, third, fourth) = (words[0], words[1], words[2], words[3])
  }

  /// The octets of the fingerprint.
  public var octets: [UInt8] {
    [first, second, third, fourth].flatMap { FieldWriter.bigEndian($0, byteCount: 8) }
  }

  /// Whether the left one's octets come first.
  public static func < (left: NodeID, right: NodeID) -> Bool {
    (left.first, left.second, left.third, left.fourth)
      < (right.first, right.second, right.third, right.fourth)
  }
}
