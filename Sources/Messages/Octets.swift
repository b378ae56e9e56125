internal import Cryptography

/// Writes numbers, the highest octet first, and octets as they are.
struct OctetWriter {
  private(set) var octets: [UInt8] = []

  mutating func number(_ value: UInt64, byteCount: Int) {
    for index in (0..<byteCount).reversed() {
      octets.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index)))
    }
  }

  mutating func bytes(_ bytes: some Sequence<UInt8>) { octets.append(contentsOf: bytes) }
}

/// Reads what ``OctetWriter`` writes; throws past the end, never traps.
struct OctetReader {
  private let octets: [UInt8]
  private(set) var offset: Int

  init(_ octets: [UInt8], at offset: Int = 0) {
    self.octets = octets
    self.offset = offset
  }

  var rest: Int { octets.count - offset }

  mutating func number(_ byteCount: Int) throws(MessageFault) -> UInt64 {
    try bytes(byteCount).reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func bytes(_ byteCount: Int) throws(MessageFault) -> ArraySlice<UInt8> {
    guard byteCount >= 0, byteCount <= rest else { throw .malformed }
    defer { offset += byteCount }
    return octets[offset..<offset + byteCount]
  }

  mutating func node() throws(MessageFault) -> NodeID {
    guard let node = NodeID(octets: try bytes(NodeID.byteCount)) else { throw .malformed }
    return node
  }

  mutating func key() throws(MessageFault) -> PublicKey {
    do throws(CryptoError) {
      return try PublicKey(Array(try take(PublicKey.byteCount)))
    } catch {
      throw .malformed
    }
  }

  /// As ``bytes(_:)``, for what cannot be thrown beside another error: too few are a length that nothing has.
  private mutating func take(_ byteCount: Int) throws(CryptoError) -> [UInt8] {
    guard let bytes = try? bytes(byteCount) else { return [] }
    return Array(bytes)
  }

  func end() throws(MessageFault) {
    guard rest == 0 else { throw .malformed }
  }
}
