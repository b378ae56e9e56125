public import Cryptography

/// What a ``Mesh`` wants done or known, in this order.
public enum MeshAction: Hashable, Sendable {
  /// Open a connection and prove who we are; `dialled` or `failed` answers.
  case dial(AttemptID, NodeAddress)
  /// Give an attempt up; no answer is needed.
  case abandon(AttemptID)
  /// Send what is under way, then close; `closed` need not answer.
  case close(ConnectionID, CloseReason)
  /// The other end of a connection is a member: it may send long messages.
  case raise(ConnectionID)
  /// Send a message.
  case send(Message, ConnectionID)
  /// Look a peer's addresses up afresh, and drop what is kept open towards it; `resolved` answers.
  case resolve(PeerTarget)
  /// Tell when media of a member came last, as nothing else comes from it; `sounded` answers, none is silence.
  case listen(NodeID)
  /// Send one small datagram with our ID, from our media socket, to each address.
  case knock(NodeID, [NodeAddress])

  /// A node is a member: its sound may come in.
  case admitted(Member)
  /// A member tells something else about itself.
  case changed(Member)
  /// A member is one no more: its sound is silent at once.
  case departed(NodeID, DepartureReason)
  /// A stranger asks to be let in.
  case invited(Invitation)
  /// An invitation is answered, or came to nothing.
  case invitationEnded(NodeID)
  /// A node does not let us in, and says why.
  case declined(NodeID, words: String)
  /// A static peer answered that is in no group of ours and not trusted: it is up to the user to invite it.
  case stranger(NodeID, NodeProfile)
  /// The keys of these streams of this node have to change, as somebody has one who is a member no more.
  case rollKeys([Int])
  /// The key of a member's stream.
  case mediaKey(NodeID, MediaKey)
  /// A member's stream of that number is over for this node.
  case streamEnded(NodeID, Int)
  /// A peer that failed five times in a row starts from nothing.
  case rebuilt(PeerTarget)
  /// A member's user forgot a node that is away: nobody has its name any more.
  case forgotten(NodeID, by: NodeID)
  /// Another start of this node's own identity runs, which another node, or the one at an address, tells.
  case twin(instance: UInt64, toldBy: NodeID, at: NodeAddress?)
  /// An address leads back to this node.
  case ourselves(NodeAddress?)
  /// ``Mesh/memory`` changed and is to be stored.
  case store
}
