internal import Glibc
internal import System

/// Where the control socket is when nobody says otherwise.
public enum ControlPath {
  /// The socket of a daemon that runs for the whole system (`RuntimeDirectory=comlink`).
  public static let system = "/run/comlink/control.sock"

  /// The most bytes that the path of a socket can have.
  public static let byteLimit = UnixAddress.pathByteLimit

  /// Where this user's daemon puts its socket.
  ///
  /// `$XDG_RUNTIME_DIR/comlink/control.sock` where that directory exists and is the user's own (the
  /// XDG base directory specification asks for that; `su` leaves another user's behind),
  /// ``system`` for root, `/tmp/comlink-UID/control.sock` for everybody else.
  public static func forDaemon(
    environment: [String: String], userID: UInt32 = currentUserID,
    owner: (String) -> UInt32? = ownerID(ofDirectory:)
  ) -> String {
    if let runtime = environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/"),
      owner(runtime) == userID
    {
      return runtime + "/comlink/control.sock"
    }
    return userID == 0 ? system : "/tmp/comlink-\(userID)/control.sock"
  }

  /// Where a remote looks: the user's own daemon, or else the system's where its socket exists or is
  /// out of sight for want of permission.
  public static func forRemote(environment: [String: String]) -> String {
    let own = forDaemon(environment: environment)
    return isAbsent(own) && !isAbsent(system) ? system : own
  }

  /// Another socket's path in the directory of that one.
  public static func beside(_ path: String, name: String) -> String {
    "\(directory(of: path))/\(name)"
  }

  /// The user this process runs as.
  public static var currentUserID: UInt32 { getuid() }

  /// The owner of a directory; nil if there is none of that name.
  public static func ownerID(ofDirectory path: String) -> UInt32? {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { return nil }
    return facts.st_uid
  }

  /// The directory of a path, `.` for a bare name.
  package static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func isAbsent(_ path: String) -> Bool {
    let code = SystemCall.code(SystemCall.result { unsafe access(path, F_OK) })
    return code != nil && code != EACCES
  }
}
