public import Cryptography

/// What a node tells the network about itself.
public struct ServiceDescription: Sendable {
  /// Most groups that are hinted at; a node is in no more.
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
