public import Cryptography

/// What happens to a ``Mesh``.
public enum MeshEvent: Sendable {
  /// Time passed; due at ``Mesh/nextDeadlineNanoseconds``, harmless at any other moment.
  case tick
  /// The network's interfaces or addresses changed.
  case networkChanged

  /// Discovery sees a node.
  case discovered(Announcement)
  /// Discovery sees it no more.
  case lost(NodeID)
  /// The user names a static peer, by a number of its own; addresses may be none yet.
  case named(Int, [NodeAddress])
  /// The user takes a static peer back.
  case unnamed(Int)
  /// An answer to ``MeshAction/resolve(_:)``; none found is an empty list.
  case resolved(PeerTarget, [NodeAddress])

  /// The attempt has a connection, and both ends now prove who they are.
  case securing(AttemptID)
  /// The attempt succeeded.
  case dialled(AttemptID, OpenedConnection)
  /// It did not.
  case failed(AttemptID)
  /// Somebody connected to us and proved who it is.
  case accepted(OpenedConnection)
  /// A message came.
  case received(Message, ConnectionID)
  /// A connection ended, not by us.
  case closed(ConnectionID)
  /// A connection's own address is none of this machine's any more, so that nothing comes through it again.
  case uprooted(ConnectionID)

  /// An answer to ``MeshAction/listen(_:)``: when authentic media of a member came last.
  case sounded(NodeID, atNanoseconds: Int64)
  /// A knock came, as ``MeshAction/knock(_:_:)`` sends them: hearsay.
  case knocked(NodeID)

  /// The user lets a node in, now and in future.
  case accept(NodeID)
  /// The user declines its invitation.
  case decline(NodeID)
  /// The user asks a node to let us in, and trusts it.
  case invite(NodeID)
  /// The user takes trust, or a block, back.
  case forget(NodeID)
  /// The user keeps a node out for good.
  case block(NodeID)
  /// What becomes of strangers from now on.
  case policy(AdmissionPolicy)
  /// Our groups changed; these connections, and no others, prove to hold the secret of one.
  case groupsChanged(Set<ConnectionID>)
  /// This node's description is another.
  case describe(NodeProfile)
  /// This node begins to record what it hears, or ends it; all members are told.
  case recording(Bool)
  /// A media key of this node, for all members, present and future.
  case share(MediaKey)
  /// That stream's key is handed to nobody any more.
  case unshare(stream: Int)
  /// This node leaves: the last event.
  case leave
}

/// One line on a peer, connected or not, for people to look at.
public struct PeerReport: Hashable, Sendable {
  /// Who it is, or how it was named.
  public let target: PeerTarget
  /// The name it told last; empty before.
  public let name: String
  /// How far the way to it is.
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
  /// What it tells about itself; its addresses are complete.
  public let profile: NodeProfile
  /// Whether it is here by a group's secret, and not by the user's word or an open policy.
  public let isInGroup: Bool
}
