/// An SDES text of the remote.
///
/// The string is made anew only when the octets change.
struct ReceivedText {
  /// The text, with U+FFFD where the octets are not UTF-8.
  ///
  /// Not cleaned of control characters.
  private(set) var text = ""
  private var octets: [UInt8] = []

  init() {
    octets.reserveCapacity(255)
  }

  var isEmpty: Bool { octets.isEmpty }

  func isEqual(to range: Range<Int>, of bytes: RawSpan) -> Bool {
    guard range.count == octets.count else { return false }
    for index in octets.indices where octets[index] != Self.octet(range.lowerBound + index, bytes) {
      return false
    }
    return true
  }

  /// Takes the octets in `range`; whether they are other than before.
  mutating func update(from range: Range<Int>, of bytes: RawSpan) -> Bool {
    guard !isEqual(to: range, of: bytes) else { return false }
    octets.removeAll(keepingCapacity: true)
    for index in range { octets.append(Self.octet(index, bytes)) }
    text = String(decoding: octets, as: UTF8.self)
    return true
  }

  private static func octet(_ offset: Int, _ bytes: RawSpan) -> UInt8 {
    unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
  }
}
