/// The version of this build of Comlink.
public enum Version {
  /// Semantic version of the daemon and its remote.
  public static let current = "0.1.0"
}
