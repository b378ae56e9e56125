/// Where a service on the web answers: its base URL.
public struct WebPlace: Hashable, Sendable {
  /// Whether it is asked by HTTPS.
  public let isSecure: Bool
  /// A host name or an address, without brackets.
  public let host: String
  /// Its port.
  public let port: Int
  /// What all its paths begin with, without a slash at its end.
  public let path: String

  /// Why a text is no such URL, as the end of a sentence that begins with its setting.
  public struct Problem: Error, Hashable, Sendable {
    /// In words.
    public let words: String
  }

  /// Reads `http://HOST[:PORT][/PATH]`, or `https://…`.
  public init(_ text: String) throws(Problem) {
    let form = "must be a URL such as http://127.0.0.1:8080/v1"
    let scheme = ["http://", "https://"].first { text.lowercased().hasPrefix($0) }
    guard let scheme else { throw Problem(words: "\(form), not \"\(text)\"") }
    isSecure = scheme == "https://"
    let rest = text.dropFirst(scheme.count)
    let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard isPlain, !rest.contains(where: { "@?#\\\"<>".contains($0) }) else {
      throw Problem(words: "\(form), without user, query or fragment")
    }
    let authority = rest.prefix { $0 != "/" }
    var path = rest.dropFirst(authority.count)
    while path.last == "/" { path.removeLast() }
    self.path = String(path)
    guard let (host, port) = Self.parts(authority) else {
      throw Problem(words: "\(form), not \"\(text)\"")
    }
    self.host = host
    self.port = port ?? (isSecure ? 443 : 80)
  }

  /// The same service, without a path.
  public var root: WebPlace { WebPlace(isSecure: isSecure, host: host, port: port, path: "") }

  private init(isSecure: Bool, host: String, port: Int, path: String) {
    (self.isSecure, self.host, self.port, self.path) = (isSecure, host, port, path)
  }

  private static func parts(_ authority: Substring) -> (String, Int?)? {
    var host = authority
    var rest = Substring()
    if authority.first == "[" {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      host = authority[authority.index(after: authority.startIndex)..<end]
      rest = authority[authority.index(after: end)...]
      guard host.contains(":") else { return nil }
    } else if let colon = authority.firstIndex(of: ":") {
      host = authority[..<colon]
      rest = authority[colon...]
    }
    guard !host.isEmpty, host.utf8.count <= 253 else { return nil }
    guard !rest.isEmpty else { return (String(host), nil) }
    guard rest.first == ":", let port = Int(rest.dropFirst()), (1...65535).contains(port) else {
      return nil
    }
    return (String(host), port)
  }

  /// Host and port as HTTP's Host has them.
  public var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// As it is written.
  public var text: String { "\(isSecure ? "https" : "http")://\(authority)\(path)" }

  /// Whether what is asked there stays on this machine.
  public var isThisMachine: Bool {
    host == "localhost" || host == "::1" || (host.hasPrefix("127.") && Self.isIPv4(host))
  }

  private static func isIPv4(_ host: String) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }
}
