/// Why a member is one no more.
public enum DepartureReason: Hashable, Sendable {
  /// It said goodbye.
  case goodbye
  /// Its connection ended.
  case disconnected
  /// Nothing came for three heartbeats.
  case silent
  /// A later run of it takes its place at once.
  case restarted
  /// The user blocked or forgot it, or it took back that it admits us.
  case expelled
  /// It sent more messages than any node has to.
  case flooding
  /// This node leaves.
  case leaving
}
