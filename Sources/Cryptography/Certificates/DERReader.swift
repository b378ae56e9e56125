/// Reads DER (X.690 §8, §10) from octets that others sent: one element after the other, never outside of them.
package struct DERReader {
  /// Elements that certificates have.
  package enum Tag {
    package static let boolean: UInt8 = 0x01
    package static let integer: UInt8 = 0x02
    package static let bitString: UInt8 = 0x03
    package static let octetString: UInt8 = 0x04
    package static let objectIdentifier: UInt8 = 0x06
    package static let utf8String: UInt8 = 0x0C
    package static let generalizedTime: UInt8 = 0x18
    package static let utcTime: UInt8 = 0x17
    package static let sequence: UInt8 = 0x30
    package static let set: UInt8 = 0x31
    package static let version: UInt8 = 0xA0
    package static let extensions: UInt8 = 0xA3
  }

  private var rest: ArraySlice<UInt8>

  /// Reads these.
  package init(_ octets: ArraySlice<UInt8>) { rest = octets }

  /// The tag of the element to come.
  package var nextTag: UInt8? { rest.first }

  /// The contents of the next element; nil when it is another, or longer than what is there.
  package mutating func next(_ tag: UInt8) -> ArraySlice<UInt8>? {
    guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
    var byteCount = Int(first)
    if first >= 0x80 {
      // Two octets of length are 64 KiB: no certificate that TLS took is longer.
      let lengthBytes = Int(first & 0x7F)
      guard (1...2).contains(lengthBytes), rest.count >= lengthBytes else { return nil }
      byteCount = rest.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(lengthBytes)
    }
    guard rest.count >= byteCount else { return nil }
    defer { rest = rest.dropFirst(byteCount) }
    return rest.prefix(byteCount)
  }

  /// An element of these contents.
  package static func element(_ tag: UInt8, _ contents: [UInt8]...) -> [UInt8] {
    let contents = contents.flatMap { $0 }
    let count = contents.count
    let length: [UInt8] =
      switch count {
      case ..<0x80: [UInt8(count)]
      case ..<0x100: [0x81, UInt8(count)]
      default: [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
      }
    return [tag] + length + contents
  }
}
