internal import Glibc

/// The group whose members may use a control socket.
enum SocketGroup {
  /// Its name, or its number where it has none; nil when only the owner may, or root's own group.
  ///
  /// Where the socket itself is out of sight, its directory tells.
  static func name(at path: String) -> String? {
    let holder = facts(of: path).map { ($0, mode_t(S_IWGRP)) }
    let directory = facts(of: ControlPath.directory(of: path)).map { ($0, mode_t(S_IXGRP)) }
    guard let (facts, right) = holder ?? directory, facts.st_mode & right != 0, facts.st_gid != 0
    else { return nil }
    guard let entry = unsafe getgrgid(facts.st_gid) else { return "\(facts.st_gid)" }
    return unsafe String(cString: entry.pointee.gr_name)
  }

  private static func facts(of path: String) -> stat? {
    var facts = stat()
    return unsafe stat(path, &facts) == 0 ? facts : nil
  }
}
