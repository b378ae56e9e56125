import Cryptography

/// Reads a message's fields from a range of octets; never reads outside of it and never traps.
struct FieldReader {
  /// A field's tag and where its value stands.
  struct Field {
    let tag: UInt64
    let value: Range<Int>
  }

  let octets: [UInt8]
  /// The message's type, for errors.
  let type: UInt64
  private(set) var offset: Int
  private let end: Int

  init(_ octets: [UInt8], range: Range<Int>, type: UInt64 = 0) {
    self.octets = octets
    self.type = type
    let range = range.clamped(to: octets.startIndex..<octets.endIndex)
    (offset, end) = (range.lowerBound, range.upperBound)
  }

  /// The next number (RFC 9000 §16).
  mutating func number() throws(MeshError) -> UInt64 {
    guard offset < end else { throw .truncated }
    let byteCount = 1 << Int(octets[offset] >> 6)
    guard byteCount <= end - offset else { throw .truncated }
    var value = UInt64(octets[offset] & 0x3F)
    for index in offset + 1..<offset + byteCount { value = value << 8 | UInt64(octets[index]) }
    offset += byteCount
    return value
  }

  /// The next field; nil at the end.
  mutating func next() throws(MeshError) -> Field? {
    guard offset < end else { return nil }
    let tag = try number()
    let byteCount = try number()
    guard byteCount <= UInt64(end - offset) else { throw .truncated }
    let start = offset
    offset += Int(byteCount)
    return Field(tag: tag, value: start..<offset)
  }

  func number(_ field: Field) throws(MeshError) -> UInt64 {
    var inner = FieldReader(octets, range: field.value, type: type)
    guard let value = try? inner.number(), inner.offset == inner.end else {
      throw wrong(field.tag)
    }
    return value
  }

  func text(_ field: Field) throws(MeshError) -> String {
    guard field.value.count <= NodeProfile.maximumTextBytes else { throw wrong(field.tag) }
    return String(decoding: octets[field.value], as: UTF8.self)
  }

  func node(_ field: Field) throws(MeshError) -> NodeID {
    guard let node = NodeID(octets: octets[field.value]) else { throw wrong(field.tag) }
    return node
  }

  /// An address; nil when it is of a kind that a later version added.
  func address(_ field: Field) throws(MeshError) -> NodeAddress? {
    guard field.value.count >= 2 else { throw wrong(field.tag) }
    let start = field.value.lowerBound
    let port = UInt16(truncatingIfNeeded: bigEndian(start..<start + 2))
    switch field.value.count {
    case 2: return NodeAddress(.observed, port: port)
    case 6:
      let bits = UInt32(truncatingIfNeeded: bigEndian(start + 2..<start + 6))
      return NodeAddress(.ipv4(bits), port: port)
    case 18:
      let (high, low) = (bigEndian(start + 2..<start + 10), bigEndian(start + 10..<start + 18))
      return NodeAddress(.ipv6(high, low), port: port)
    default: return nil
    }
  }

  func wrong(_ tag: UInt64) -> MeshError { .malformed(type: type, tag: tag) }

  /// `value`, or an error that names the field that is missing.
  func required<Value>(_ value: Value?, _ tag: UInt64) throws(MeshError) -> Value {
    guard let value else { throw wrong(tag) }
    return value
  }

  private func bigEndian(_ range: Range<Int>) -> UInt64 {
    range.reduce(0) { $0 << 8 | UInt64(octets[$1]) }
  }
}
