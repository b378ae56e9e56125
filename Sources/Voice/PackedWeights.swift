/// Weights of a network as text: 8 or 16 bits each, the lower octet first, in base 64.
enum PackedWeights {
  /// All of them, in units of `scale`.
  static func values(_ digits: StaticString, scale: Float) -> [Float] {
    let bytes = decoded(digits)
    return stride(from: 0, to: bytes.count - 1, by: 2).map { index in
      let bits = UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
      return Float(Int16(bitPattern: bits)) * scale
    }
  }

  /// The whole numbers of each layer: so many, of so many octets each.
  ///
  /// Of a text that ends too early the last layers have less.
  static func layers(
    _ texts: [StaticString], _ layers: [(count: Int, octets: Int, unit: Float)]
  ) -> [[Int16]] {
    var rest = texts.flatMap { decoded($0) }[...]
    let numbers = layers.map { layer in
      let bytes = Array(rest.prefix(layer.count * layer.octets))
      rest = rest.dropFirst(bytes.count)
      return (0..<bytes.count / layer.octets).map { index in
        layer.octets == 1
          ? Int16(Int8(bitPattern: bytes[index]))
          : Int16(bitPattern: UInt16(bytes[2 * index]) | UInt16(bytes[2 * index + 1]) << 8)
      }
    }
    precondition(rest.isEmpty, "more weights than the layers take")
    return numbers
  }

  /// The bytes that base 64 stands for (RFC 4648 §4).
  private static func decoded(_ digits: StaticString) -> [UInt8] {
    var bytes: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for digit in digits.description.utf8 {
      guard let value = value(of: digit) else { continue }
      bits = bits << 6 | UInt32(value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
    case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
