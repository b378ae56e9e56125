/// Why a ``Panel`` cannot listen.
public enum PanelError: Error, Hashable, Sendable {
  /// Another program listens there.
  case addressInUse(address: String)
  /// Nobody can listen there, and why, in words.
  case listening(address: String, words: String)
}
