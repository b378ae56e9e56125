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

/// A number used once, against which the receiver proves the groups it belongs to.
public struct Challenge: Hashable, Sendable {
  /// Octets of the number.
  public static let nonceBytes = 32

  /// Random, and another for each connection and end.
  public var nonce: [UInt8]

  /// Makes a challenge.
  public init(nonce: [UInt8]) { self.nonce = nonce }
}

/// Proves, to who is in one of the sender's groups and to nobody else, that the sender is in it too.
public struct GroupProof: Hashable, Sendable {
  /// Octets of one authentication code.
  public static let codeBytes = 32
  /// Most groups that one node proves; readers ignore the rest.
  public static let maximumCodes = 64

  /// One for each group of the sender's; which group, only its members can tell.
  public var codes: [[UInt8]]

  /// Makes a proof; without codes that of a node in no group.
  public init(codes: [[UInt8]] = []) { self.codes = codes }
}

/// The sender does not take the receiver as a member.
public struct Decline: Hashable, Sendable {
  /// Why, for people.
  public var words: String
  /// The latest start of the receiver's identity that is known to the sender; nil: that is not why.
  public var latestInstance: UInt64?

  /// Makes a refusal.
  public init(words: String, latestInstance: UInt64? = nil) {
    self.words = words
    self.latestInstance = latestInstance
  }
}

/// Tells a member that its identity runs twice: an earlier start of it called the sender, which refused it.
public struct Twin: Hashable, Sendable {
  /// The number of that start.
  public var instance: UInt64

  /// Makes one.
  public init(instance: UInt64) { self.instance = instance }
}

/// Nodes that a user of the group forgot, which frees the names that they have with the others.
public struct ForgottenNodes: Hashable, Sendable {
  /// Most nodes of one message; readers ignore the rest.
  public static let maximumNodes = 64

  /// The nodes, and up to which start of theirs that holds.
  public var nodes: [MeshMemory.Forgotten]

  /// Makes a list.
  public init(nodes: [MeshMemory.Forgotten]) { self.nodes = nodes }
}

/// The sender leaves, and its connections end.
public struct Goodbye: Hashable, Sendable {
  /// Who leaves; not believed on a connection that is another's.
  public var node: NodeID
  /// The run of it that ends.
  public var instance: UInt64
  /// Why, for people; empty for no reason.
  public var words: String

  /// Makes a goodbye.
  public init(node: NodeID, instance: UInt64, words: String = "") {
    self.node = node
    self.instance = instance
    self.words = words
  }
}
