/// Writes a message's fields: tag, length, value.
struct FieldWriter {
  /// The largest number that can be written (RFC 9000 §16).
  static let maximumNumber: UInt64 = 1 << 62 - 1

  private(set) var octets: [UInt8] = []

  /// A number in 1, 2, 4 or 8 octets (RFC 9000 §16); one that is too large is written as the largest.
  mutating func number(_ value: UInt64) {
    let value = min(value, Self.maximumNumber)
    let (byteCount, prefix): (Int, UInt64) =
      switch value {
      case ..<(1 << 6): (1, 0)
      case ..<(1 << 14): (2, 1 << 14)
      case ..<(1 << 30): (4, 2 << 30)
      default: (8, 3 << 62)
      }
    let marked = value | prefix
    for index in (0..<byteCount).reversed() {
      octets.append(UInt8(truncatingIfNeeded: marked >> UInt64(8 * index)))
    }
  }

  mutating func field(_ tag: UInt64, octets value: [UInt8]) {
    number(tag)
    number(UInt64(value.count))
    octets += value
  }

  mutating func field(_ tag: UInt64, number value: UInt64) {
    var inner = FieldWriter()
    inner.number(value)
    field(tag, octets: inner.octets)
  }

  /// As many whole characters of a text as fit; nothing for an empty one.
  mutating func field(_ tag: UInt64, text: String) {
    var value: [UInt8] = []
    for character in text {
      let encoded = character.utf8
      guard value.count + encoded.count <= NodeProfile.maximumTextBytes else { break }
      value.append(contentsOf: encoded)
    }
    if !value.isEmpty { field(tag, octets: value) }
  }

  /// Port, then no octets, 4 or 16 of the host.
  mutating func field(_ tag: UInt64, address: NodeAddress) {
    var value = Self.bigEndian(UInt64(address.port), byteCount: 2)
    switch address.host {
    case .observed: break
    case .ipv4(let bits): value += Self.bigEndian(UInt64(bits), byteCount: 4)
    case .ipv6(let high, let low):
      value += Self.bigEndian(high, byteCount: 8) + Self.bigEndian(low, byteCount: 8)
    }
    field(tag, octets: value)
  }

  mutating func addresses(_ tag: UInt64, _ addresses: [NodeAddress], limit: Int) {
    for address in addresses.lazy.filter({ !$0.isLinkLocal }).prefix(limit) {
      field(tag, address: address)
    }
  }

  static func bigEndian(_ value: UInt64, byteCount: Int) -> [UInt8] {
    (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
  }
}
