public import Cryptography

/// A node seen by discovery: hearsay, which proves nothing.
public struct Announcement: Hashable, Sendable {
  /// Who it says it is.
  public var node: NodeID
  /// Where it takes control connections.
  public var addresses: [NodeAddress]
  /// Whether it says that it belongs to a group of ours.
  public var sharesGroup: Bool

  /// Makes an announcement.
  public init(node: NodeID, addresses: [NodeAddress], sharesGroup: Bool = true) {
    self.node = node
    self.addresses = addresses
    self.sharesGroup = sharesGroup
  }
}
