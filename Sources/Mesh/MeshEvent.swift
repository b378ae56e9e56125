public import Cryptography

/// An input of a ``Mesh``.
public enum MeshEvent: Sendable {
  /// Time passed; due at ``Mesh/nextDeadlineNanoseconds``, harmless at any other moment.
  case tick
  /// The network's interfaces or addresses changed.
  case networkChanged

  /// Discovery sees a node.
  case discovered(Announcement)
  /// Discovery lost a node.
  case lost(NodeID)
  /// The user names a static peer, by a number of its own; addresses may be none yet.
  case named(Int, [NodeAddress])
  /// The user takes a static peer back.
  case unnamed(Int)
  /// An answer to ``MeshAction/resolve(_:)``; none found is an empty list.
  case resolved(PeerTarget, [NodeAddress])

  /// The attempt has a connection, and both ends now prove their identity.
  case securing(AttemptID)
  /// The attempt succeeded.
  case dialled(AttemptID, OpenedConnection)
  /// The attempt failed.
  case failed(AttemptID)
  /// A node connected to us and proved its identity.
  case accepted(OpenedConnection)
  /// A message arrived.
  case received(Message, ConnectionID)
  /// A connection ended, not by us.
  case closed(ConnectionID)
  /// A connection's local address is no longer one of this machine's, so it is dead.
  case uprooted(ConnectionID)

  /// An answer to ``MeshAction/listen(_:)``: when authentic media of a member arrived last.
  case sounded(NodeID, atNanoseconds: Int64)
  /// A knock arrived, as ``MeshAction/knock(_:_:)`` sends them: hearsay.
  case knocked(NodeID)

  /// The user admits a node, now and in future.
  case accept(NodeID)
  /// The user declines its invitation.
  case decline(NodeID)
  /// The user invites a node, and trusts it.
  case invite(NodeID)
  /// The user revokes trust, or lifts a block.
  case forget(NodeID)
  /// The user blocks a node for good.
  case block(NodeID)
  /// The policy for strangers changed.
  case policy(AdmissionPolicy)
  /// Our groups changed; these connections, and no others, prove to hold the secret of one.
  case groupsChanged(Set<ConnectionID>)
  /// This node's profile changed.
  case describe(NodeProfile)
  /// This node starts or stops recording; all members are notified.
  case recording(Bool)
  /// A key of a stream of this node, its first or its next, and who is to have it from now on.
  case share(MediaKey, with: StreamListeners)
  /// A stream's keys before that epoch are no longer handed out.
  case retireKeys(stream: Int, beforeEpoch: UInt64)
  /// A stream of this node is over.
  case endStream(Int)
  /// This node leaves: the last event.
  case leave
}

/// How far the way to a peer is, for people to look at.
public struct DialReport: Hashable, Sendable {
  /// Who it is, or how it was named.
  public let target: PeerTarget
  /// Progress of its connection.
  public let progress: DialProgress
  /// Attempts that failed in a row.
  public let failureCount: Int
  /// When the attempt under way is given up at the latest; nil: none is.
  public let watchdogNanoseconds: Int64?
  /// Of a static peer: who answered there, where that is known.
  public let answeredBy: NodeID?
}

/// A node that is connected and admitted.
public struct Member: Hashable, Sendable {
  /// Who it is, as its connection proved.
  public let node: NodeID
  /// Which run of it.
  public let instance: UInt64
  /// Its own profile; its addresses are complete.
  public var profile: NodeProfile
  /// Whether a group's secret admits it, and not the user or an open policy.
  public let isInGroup: Bool

  /// Makes a member.
  public init(node: NodeID, instance: UInt64, profile: NodeProfile, isInGroup: Bool) {
    self.node = node
    self.instance = instance
    self.profile = profile
    self.isInGroup = isInGroup
  }
}
