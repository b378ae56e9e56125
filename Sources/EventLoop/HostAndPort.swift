internal import Glibc

/// A host and a port as people write them: `192.0.2.1:5004`, `[::1]:5004`, `[fe80::1%eth0]:5004`, `studio.local:5004`.
package struct HostAndPort: Hashable, Sendable {
  /// What a host is written as.
  package enum Kind: Sendable {
    case ipv4, ipv6, name
  }

  /// Where a host is.
  package enum Reach: Sendable {
    /// A numeric address of this machine's loopback.
    case loopback
    /// Any other numeric address, "all addresses" among them.
    case beyond
    /// A name: not known before it is looked up.
    case name
  }

  /// The host without brackets.
  package let host: String
  /// The port.
  package let port: UInt16
  /// What the host is written as.
  package let kind: Kind

  /// Reads `HOST:PORT`; asks nobody about a name, or about the interface of a scope.
  package init(_ text: String) throws(AddressError) {
    let portText: Substring
    let isBracketed = text.hasPrefix("[")
    if isBracketed {
      guard let end = text.lastIndex(of: "]") else { throw .malformedBrackets(text: text) }
      let rest = text[text.index(after: end)...]
      guard !rest.isEmpty else { throw .noPort(text: text) }
      guard rest.hasPrefix(":") else { throw .malformedBrackets(text: text) }
      host = String(text[text.index(after: text.startIndex)..<end])
      portText = rest.dropFirst()
    } else {
      guard let colon = text.lastIndex(of: ":") else { throw .noPort(text: text) }
      host = String(text[..<colon])
      portText = text[text.index(after: colon)...]
      guard !host.contains(":") else { throw .missingBrackets(text: text) }
    }
    guard !portText.isEmpty else { throw .noPort(text: text) }
    guard !host.isEmpty else { throw .noHost(text: text) }
    port = try Self.port(String(portText), in: text)
    kind = try isBracketed ? Self.checkedIPv6(host, in: text) : Self.kind(of: host, in: text)
  }

  /// An IPv6 address that is known to be one.
  package init(ipv6 host: String, port: UInt16) {
    self.host = host
    self.port = port
    kind = .ipv6
  }

  /// The text that ``init(_:)`` reads.
  package var text: String { kind == .ipv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether the host is this machine, as far as its text tells.
  package var reach: Reach {
    guard kind != .name else { return .name }
    // Of an interface that is not here nothing is loopback.
    let address = try? SocketAddress(numeric: self)
    return address?.isLoopback == true ? .loopback : .beyond
  }

  private static func port(_ port: String, in text: String) throws(AddressError) -> UInt16 {
    guard port.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
      throw .malformedPort(text: text, port: port)
    }
    guard let number = UInt16(port) else { throw .portOutOfRange(text: text, port: port) }
    return number
  }

  private static func checkedIPv6(_ host: String, in text: String) throws(AddressError) -> Kind {
    var bits = in6_addr()
    guard unsafe inet_pton(AF_INET6, String(host.prefix { $0 != "%" }), &bits) == 1 else {
      throw .malformedIPv6(text: text, host: host)
    }
    return .ipv6
  }

  private static func kind(of host: String, in text: String) throws(AddressError) -> Kind {
    var bits = in_addr()
    if unsafe inet_pton(AF_INET, host, &bits) == 1 { return .ipv4 }
    guard host.contains(where: { !($0 == "." || $0.isNumber) }) else {
      throw .malformedIPv4(text: text, host: host)
    }
    guard isName(host) else { throw .malformedName(text: text, host: host) }
    return .name
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
