internal import Glibc

/// A host and a port as a user writes them: `192.0.2.1:5004`, `[::1]:5004`, `studio.local:5004`.
struct Endpoint: Hashable, Sendable {
  /// Where a host is.
  enum Reach: Sendable {
    /// A numeric address of this machine's loopback.
    case loopback
    /// Any other numeric address, "all addresses" among them.
    case beyond
    /// A name: not known before it is looked up.
    case name
  }

  let host: String
  let port: UInt16

  /// Reads `HOST:PORT`; throws words that end a sentence.
  init(_ text: String) throws(SettingProblem) {
    let colon = text.lastIndex(of: ":")
    guard let colon, text[colon...].count > 1, !text.hasSuffix("]") else {
      throw .badValue("must be ADDR:PORT such as 127.0.0.1:5004, not \"\(text)\"")
    }
    let digits = text[text.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
      throw .badValue("has the port \"\(digits)\", which is no number from 0 to 65535")
    }
    self.port = port
    host = try Self.host(String(text[..<colon]), in: text)
  }

  /// The text that ``init(_:)`` reads.
  var text: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether the host is this machine, as far as its text tells.
  var reach: Reach {
    var four = in_addr()
    if unsafe inet_pton(AF_INET, host, &four) == 1 {
      return UInt32(bigEndian: four.s_addr) >> 24 == 127 ? .loopback : .beyond
    }
    guard host.contains(":") else { return .name }
    var six = in6_addr()
    guard unsafe inet_pton(AF_INET6, host, &six) == 1 else { return .beyond }
    let bytes = unsafe withUnsafeBytes(of: six) { unsafe Array($0) }
    let isLoopback = bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11] == [0xFF, 0xFF]
    return isLoopback || (isMapped && bytes[12] == 127) ? .loopback : .beyond
  }

  private static func host(_ text: String, in whole: String) throws(SettingProblem) -> String {
    if text.hasPrefix("["), text.hasSuffix("]") {
      let inner = String(text.dropFirst().dropLast())
      let address = inner.prefix { $0 != "%" }
      var bits = in6_addr()
      guard unsafe inet_pton(AF_INET6, String(address), &bits) == 1 else {
        throw .badValue("has \"\(inner)\" in brackets, which is no IPv6 address")
      }
      return inner
    }
    guard !text.isEmpty else { throw .badValue("has no address before the port") }
    guard !text.contains(":") else {
      throw .badValue("must have an IPv6 address in brackets, such as [::1]:5004, not \"\(whole)\"")
    }
    let looksNumeric = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
    var bits = in_addr()
    if looksNumeric, unsafe inet_pton(AF_INET, text, &bits) != 1 {
      throw .badValue("has \"\(text)\", which is no IPv4 address")
    }
    guard isName(text) || looksNumeric else {
      throw .badValue("has \"\(text)\", which is neither an address nor a host name")
    }
    return text
  }

  /// A host name as RFC 1123 §2.1 has it, the underscore that some networks use included.
  private static func isName(_ text: String) -> Bool {
    text.utf8.count <= 253
      && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy {
        !$0.isEmpty && $0.utf8.count <= 63 && !$0.hasPrefix("-") && !$0.hasSuffix("-")
          && $0.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || $0 == 0x2D
              || $0 == 0x5F
          }
      }
  }
}

extension Endpoint {
  /// Where nodes receive unless told otherwise: RTP's registered port, on all interfaces, IPv4 too.
  static let standard = Endpoint(host: "::", port: 5004)

  private init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }
}
