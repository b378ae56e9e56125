extension SocketAddress: CustomStringConvertible {
  /// `192.0.2.1:5004` or `[2001:db8::1]:5004`, in the form of RFC 5952 §4 and §6; it parses back to
  /// the same address.
  public var description: String {
    switch family {
    case .ipv4: "\(hostDescription):\(port)"
    case .ipv6: "[\(hostDescription)]:\(port)"
    }
  }

  /// The address without brackets and port; a scope stands behind it by number, as in `fe80::1%2`.
  public var hostDescription: String {
    switch family {
    case .ipv4: Self.parts(of: low, bits: 8, count: 4).map(String.init).joined(separator: ".")
    case .ipv6: ipv6Description + (scope == 0 ? "" : "%\(scope)")
    }
  }

  private var ipv6Description: String {
    let groups = Self.parts(of: high, bits: 16, count: 4) + Self.parts(of: low, bits: 16, count: 4)
    let zeros = Self.longestZeroRun(in: groups)
    let texts = groups.map { String($0, radix: 16) }
    guard zeros.count >= 2 else { return texts.joined(separator: ":") }
    let head = texts[..<zeros.lowerBound].joined(separator: ":")
    let tail = texts[zeros.upperBound...].joined(separator: ":")
    return head + "::" + tail
  }

  /// The lowest `count` groups of `bits` bits, the highest group first.
  private static func parts(of number: UInt64, bits: UInt64, count: UInt64) -> [UInt64] {
    (1...count).map { (index: UInt64) -> UInt64 in
      let shift = (count - index) * bits
      return (number >> shift) & ((1 << bits) - 1)
    }
  }

  /// The first of the longest runs of zero groups (RFC 5952 §4.2).
  private static func longestZeroRun(in groups: [UInt64]) -> Range<Int> {
    var longest = 0..<0
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 {
        start = index + 1
      } else if index + 1 - start > longest.count {
        longest = start..<(index + 1)
      }
    }
    return longest
  }
}
