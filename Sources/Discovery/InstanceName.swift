internal import Cryptography

/// The name of a node's instance: what people see in browsers of DNS-SD, unlike for each node.
enum InstanceName {
  /// The most octets (RFC 6763 §4.1.1).
  static let maximumBytes = 63
  private static let shownCharacters = 6

  /// The display name and the first characters of the ID: `Stage left (k3jw2a)`.
  static func make(name: String, node: NodeID) -> String {
    let mark = "(\(node.text.prefix(shownCharacters)))"
    let name = DisplayText.clean(name, maximumBytes: maximumBytes - mark.utf8.count - 1)
    return name.isEmpty ? "Comlink \(mark)" : "\(name) \(mark)"
  }

  /// The name of this host in DNS while no avahi-daemon has one: `comlink-k3jw2axyz4`.
  static func host(of node: NodeID) -> String { "comlink-\(node.text.prefix(10))" }
}
