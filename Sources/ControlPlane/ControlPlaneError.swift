/// Why the control plane cannot do what it was asked to.
public enum ControlPlaneError: Error, Hashable, Sendable {
  /// The node's key cannot be used for TLS.
  case identity(words: String)
  /// Somebody else listens there.
  case addressInUse(address: String)
  /// It cannot listen there for another reason.
  case listening(address: String, words: String)
  /// A pairing connection came to nothing, or ended.
  case connection(words: String)
  /// The other end of a pairing took too long.
  case late(seconds: Int)
  /// A frame of a pairing is empty or too long.
  case frame(byteCount: Int, maximum: Int)
  /// The control plane does not run, or no more.
  case stopped
}
