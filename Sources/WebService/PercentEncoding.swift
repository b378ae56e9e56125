/// Text in paths and queries of URLs.
public enum PercentEncoding {
  /// All but RFC 3986's unreserved characters (§2.3), and those that are kept, encoded.
  public static func text(_ text: String, keeping kept: String = "") -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let plain = Set("-._~\(kept)".utf8)
    var octets: [UInt8] = []
    for octet in text.utf8 {
      let isPlain =
        switch octet {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: plain.contains(octet)
        }
      if isPlain {
        octets.append(octet)
      } else {
        octets += [0x25, digits[Int(octet >> 4)], digits[Int(octet & 15)]]
      }
    }
    return String(decoding: octets, as: UTF8.self)
  }
}
