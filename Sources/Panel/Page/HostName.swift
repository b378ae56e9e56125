internal import NIOCore

/// The `Host` of a request (RFC 9110 §7.2), taken apart.
struct HostName: Equatable {
  /// A name in lower case, or an address without brackets.
  let name: String
  /// Nil: the scheme's own.
  let port: Int?
  /// Whether it is an address: nobody can make a name mean that of another machine by it.
  let isAddress: Bool

  /// Nil: it is none.
  init?(_ text: String) {
    guard text.utf8.count <= 260 else { return nil }
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      let address = String(text[text.index(after: text.startIndex)..<end])
      guard (try? SocketAddress(ipAddress: address, port: 0)) != nil,
        let port = Self.port(text[text.index(after: end)...])
      else { return nil }
      (name, self.port, isAddress) = (address.lowercased(), port.number, true)
      return
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0]).lowercased()
    guard !name.isEmpty, name.utf8.allSatisfy(Self.isNameOctet),
      let port = Self.port(text[parts[0].endIndex...])
    else { return nil }
    self.name = name.hasSuffix(".") ? String(name.dropLast()) : name
    self.port = port.number
    isAddress = (try? SocketAddress(ipAddress: name, port: 0)) != nil
  }

  /// As a URL has it, without the port.
  var text: String { isAddress && name.contains(":") ? "[\(name)]" : name }

  /// Whether one of the names means it; `*.` stands for one label.
  func isOne(of names: [String]) -> Bool {
    names.contains { known in
      let known = known.lowercased()
      guard known.hasPrefix("*.") else { return name == known }
      return name.drop { $0 != "." } == known.dropFirst()
    }
  }

  private static func port(_ text: Substring) -> (number: Int?, Void)? {
    if text.isEmpty { return (nil, ()) }
    guard text.first == ":", let number = UInt16(text.dropFirst()), number != 0 else { return nil }
    return (Int(number), ())
  }

  private static func isNameOctet(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
