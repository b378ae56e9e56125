/// Where a JACK session stands.
public enum JackSessionState: Hashable, Sendable {
  /// Not started, or stopped.
  case stopped
  /// No server of that name runs; the session looks for one each half second.
  case waiting(server: String)
  /// The server runs and does not take us, for the reason in words; tried again each half second.
  case refused(server: String, reason: String)
  /// Sound flows.
  case running(JackConnection)
}
