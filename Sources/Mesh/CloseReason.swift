/// Why this side closes a connection.
public enum CloseReason: Hashable, Sendable {
  /// It leads back to this node.
  case ourselves
  /// The node is blocked.
  case blocked
  /// Neither node admits the other, or one declines.
  case notAdmitted
  /// A lower count of starts than the node already had.
  case ghost
  /// A later run of the same node took its place.
  case replaced
  /// There is another connection to the same run, and that one stays.
  case duplicate
  /// Its hello names another node than it proved to be.
  case wrongIdentity
  /// No hello, or no answer to an invitation, in time.
  case late
  /// Its local address is no longer one of this machine's.
  case uprooted
  /// Nothing came for three heartbeats.
  case silent
  /// A message out of turn.
  case outOfTurn
  /// More messages than any node has to send, now or a minute ago.
  case flooding
  /// Too many connections of this node, or of strangers.
  case crowded
  /// The other said goodbye.
  case goodbye
  /// This node leaves.
  case leaving
  /// The user revoked the node's admission.
  case forgotten
}

/// Why a member departed.
public enum DepartureReason: Hashable, Sendable {
  /// It said goodbye.
  case goodbye
  /// Its connection ended.
  case disconnected
  /// Nothing came for three heartbeats.
  case silent
  /// A later run of it takes its place at once.
  case restarted
  /// The user blocked or forgot it, or it revoked our admission.
  case expelled
  /// It sent more messages than any node has to.
  case flooding
  /// This node leaves.
  case leaving

  /// Whether the node does not come back by itself, as one that was lost does.
  public var isForGood: Bool {
    switch self {
    case .goodbye, .expelled, .flooding, .leaving: true
    case .disconnected, .silent, .restarted: false
    }
  }
}
