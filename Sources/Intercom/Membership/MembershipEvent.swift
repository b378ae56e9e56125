public import Cryptography
public import Mesh

/// What a membership tells the log; rare.
public enum MembershipEvent: Sendable {
  /// A node is a member.
  case admitted(NodeID, name: String, isInGroup: Bool)
  /// A member is one no more.
  case departed(NodeID, name: String, DepartureReason)
  /// A stranger asks to be let in.
  case invited(NodeID, name: String)
  /// A stranger's invitation came to nothing, or was answered.
  case invitationEnded(NodeID)
  /// A node does not let us in.
  case declined(NodeID, words: String)
  /// A static peer is a stranger: it and we share no group.
  case stranger(NodeID, name: String)
  /// A static peer's name leads nowhere.
  case unresolved(peer: String, reason: String)
  /// A static peer's address leads back to this node.
  case ourselves(peer: String)
  /// A peer failed five times in a row and is tried from nothing.
  case rebuilt(peer: String)
  /// A member begins to record what it hears, or ends it, by what it says.
  case recording(NodeID, name: String, Bool)
  /// Keys or media fail in a way that needs a person.
  case fault(String)
}
