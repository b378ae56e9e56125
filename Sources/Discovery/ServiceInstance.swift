public import Cryptography
internal import Mesh

/// An instance as it is browsed: seen on one interface by one protocol.
struct ServiceInstance: Hashable, Sendable {
  var interface: Int32
  var isIPv6: Bool
  var name: String
  var domain: String
}

/// Where an instance is, and its TXT data.
struct ServiceResolution: Hashable, Sendable {
  /// With the interface as scope if it is for one link only.
  var address: NodeAddress
  /// Empty: none came, or far too much.
  var text: [UInt8]
  /// Whether there was far too much.
  var isTextOversized = false
}

extension NodeAddress {
  /// Whether another host can have it, or this one if `isLocal`: no multicast, nothing that means nobody, or oneself.
  func isUsable(isLocal: Bool) -> Bool {
    guard port != 0 else { return false }
    switch host {
    case .observed: return false
    case .ipv4(let bits):
      let first = bits >> 24
      return first != 0 && first < 224 && (first != 127 || isLocal)
    case .ipv6(let high, let low):
      // Unspecified and loopback; IPv4 within IPv6 belongs in an A record.
      if high == 0 { return low == 1 && isLocal }
      return high >> 56 != 0xFF && (!isLinkLocal || scope != 0)
    }
  }
}

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

/// A node's public description.
public struct ServiceDescription: Sendable {
  /// Most group hints; a node is in no more groups.
  public static let maximumGroups = 16

  /// Who it is.
  public var node: NodeID
  /// The display name: cut to 63 octets, without what cannot be seen.
  public var name: String
  /// The software's version, as people write it; cut to 31 octets.
  public var softwareVersion: String
  /// The port of its control connections, not 0.
  public var port: UInt16
  /// The groups it belongs to, of each of which only a ``GroupHint`` is told.
  public var groups: [Group]

  /// The port of its voice satellite (`_wyoming._tcp`), from the start on; 0: it has none.
  public var satellitePort: UInt16 = 0

  /// Makes a description.
  public init(
    node: NodeID, name: String, softwareVersion: String, port: UInt16, groups: [Group]
  ) {
    self.node = node
    self.name = name
    self.softwareVersion = softwareVersion
    self.port = port
    self.groups = groups
  }
}
