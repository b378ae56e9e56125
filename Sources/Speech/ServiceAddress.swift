/// Where a speech service is: `tcp://HOST:PORT` or `unix:///PATH`.
///
/// Wyoming has neither password nor encryption: a host is this machine, or one that the user listed.
public enum ServiceAddress: Hashable, Sendable {
  /// A host, without brackets, and a port.
  case tcp(host: String, port: UInt16)
  /// A socket in the file system.
  case unix(path: String)

  /// Reads an address; nil: it is none.
  public init?(_ text: String) {
    if let path = Self.rest(of: text, after: "unix://") {
      guard path.hasPrefix("/"), (2...107).contains(path.utf8.count), !path.utf8.contains(0) else {
        return nil
      }
      self = .unix(path: path)
      return
    }
    guard let place = Self.rest(of: text, after: "tcp://"),
      let colon = place.lastIndex(of: ":"), let port = UInt16(place[place.index(after: colon)...]),
      port > 0
    else { return nil }
    var host = String(place[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = String(host.dropFirst().dropLast())
      guard host.contains(":") else { return nil }
    } else if host.contains(":") {
      return nil
    }
    guard !host.isEmpty, host.utf8.count <= 253,
      host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "/") })
    else { return nil }
    self = .tcp(host: host, port: port)
  }

  private static func rest(of text: String, after prefix: String) -> String? {
    text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
  }

  /// Whether it may be spoken to: it is on this machine, or among hosts that the user listed.
  public func isAllowed(beside hosts: [String]) -> Bool {
    guard case .tcp(let host, _) = self else { return true }
    return isLoopback || hosts.contains { $0.lowercased() == host.lowercased() }
  }

  /// Whether it is on this machine, as far as its text tells.
  public var isLoopback: Bool {
    guard case .tcp(let host, _) = self else { return true }
    if host.lowercased() == "localhost" || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}

extension ServiceAddress: CustomStringConvertible {
  /// As it is read.
  public var description: String {
    switch self {
    case .tcp(let host, let port):
      host.contains(":") ? "tcp://[\(host)]:\(port)" : "tcp://\(host):\(port)"
    case .unix(let path): "unix://\(path)"
    }
  }
}
