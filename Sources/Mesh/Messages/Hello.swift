public import Cryptography

/// The first message on each connection, both ways; sent again when the profile changes.
public struct Hello: Hashable, Sendable {
  /// The version of the messages that the sender speaks.
  public var version: MessageVersion
  /// Who it says it is; the connection's own proof is what counts.
  public var node: NodeID
  /// Its count of starts, below 2⁶²; of two runs of one node the higher is the living one.
  public var instance: UInt64
  /// What it tells about itself.
  public var profile: NodeProfile
  /// From the side that dialled: the number of its attempt, growing within an instance; else 0.
  public var attempt: UInt64
  /// Whether the sender takes the receiver as a member already, without being asked.
  public var admits: Bool
  /// From the side that dialled: whether its connections before this one are lost, as its address is another now.
  public var relocates: Bool

  /// Makes a hello.
  public init(
    version: MessageVersion = .current, node: NodeID, instance: UInt64, profile: NodeProfile,
    attempt: UInt64 = 0, admits: Bool = false, relocates: Bool = false
  ) {
    self.version = version
    self.node = node
    self.instance = instance
    self.profile = profile
    self.attempt = attempt
    self.admits = admits
    self.relocates = relocates
  }
}
