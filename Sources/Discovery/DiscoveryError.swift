/// Why a ``Discovery`` does not start.
public enum DiscoveryError: Error, Hashable, Sendable {
  /// It runs already.
  case running
  /// The system refuses: what was tried, and its error number.
  case system(operation: String, code: Int32)
}
