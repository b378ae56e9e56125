internal import Glibc

/// Where a node's state is when nobody says otherwise.
public enum StatePath {
  /// The place of a daemon that root runs by hand, and of the service, which is another user.
  public static let system = "/var/lib/comlink"

  /// The directory for a user with these environment variables; nil: nothing tells.
  ///
  /// systemd's `$STATE_DIRECTORY` (the first of its list), else ``system`` for root, else `comlink` in
  /// `$XDG_STATE_HOME`, else in `~/.local/state` (XDG base directory specification). Only whole paths count.
  public static func standard(
    environment: [String: String], userID: UInt32 = currentUserID
  ) -> String? {
    if let list = environment["STATE_DIRECTORY"], let first = list.split(separator: ":").first,
      first.hasPrefix("/")
    {
      return String(first)
    }
    if userID == 0 { return system }
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return "\(state)/comlink" }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return "\(home)/.local/state/comlink"
  }

  /// Whether a path is the system's, where a directory of another user is likely a service's that must keep it.
  static func isSystem(_ path: String) -> Bool { path.hasPrefix("/var/") }

  /// The user this process runs as.
  public static var currentUserID: UInt32 { geteuid() }
}
