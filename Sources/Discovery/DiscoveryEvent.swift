public import Cryptography
public import Mesh

/// What a ``Discovery`` tells.
public enum DiscoveryEvent: Sendable {
  /// A node is there, or what is known of it changed; everything is as the node says, without proof.
  ///
  /// Addresses: 1 to 8, each once, those for one link only last. The name has at most 63 octets, no control characters, and
  /// is never empty.
  case found(Announcement, name: String, softwareVersion: String)
  /// The node is there no more.
  case lost(NodeID)
  /// Another way to the network is in use; nodes found before stay found if they are found again within seconds.
  case backendChanged(DiscoveryBackend)
  /// Something does not work and is tried again by itself: a line for the log.
  case problem(String)
}
