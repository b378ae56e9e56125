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

  /// All of them, layer by layer: so many, of so many octets, in units of its own.
  static func values(
    _ texts: [StaticString], layers: [(count: Int, octets: Int, unit: Float)]
  ) -> [Float] {
    let bytes = texts.flatMap { decoded($0) }
    var values: [Float] = []
    var start = 0
    for layer in layers {
      for index in 0..<layer.count {
        let place = start + index * layer.octets
        guard place + layer.octets <= bytes.count else { return values }
        let whole =
          layer.octets == 1
          ? Int16(Int8(bitPattern: bytes[place]))
          : Int16(bitPattern: UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8)
        values.append(Float(whole) * layer.unit)
      }
      start += layer.count * layer.octets
    }
    return values
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
