import Glibc
import ControlSocket
import Remote
import Testing

/// comlink as a user who may not use the daemon's socket.
@Suite(
  .enabled(if: getuid() == 0, "only root can give its rights up"), .timeLimit(.minutes(2)))
struct RemotePermissionTests {
  private struct Node: ControlHandler {
    func handle(_ request: ControlRequest) async -> ControlResponse { .ok }
  }

  /// Debian's group of that number, which nobody is in.
  private static let group: (number: gid_t, name: String) = (1, "daemon")
  private static let wrapper = [
    "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--",
    Program.path(of: "comlink"),
    "status",
  ]

  static let modes: [(directory: mode_t, socket: mode_t, words: String)] = [
    (0o755, 0o660, "join the group daemon (sudo usermod -aG daemon $USER, then log out and in"),
    (0o750, 0o660, "join the group daemon (sudo"),
    (0o755, 0o600, "run comlink as comlinkd's user"),
    (0o700, 0o660, "run comlink as comlinkd's user"),
  ]

  @Test(arguments: modes)
  func `the group to join is named if there is one`(
    directory: mode_t, socket: mode_t, words: String
  ) async throws {
    let folder = try TestFolder()
    unsafe chmod(folder.path, 0o755)
    let path = "\(folder.path)/run/c.sock"
    let server = try ControlServer(path: path, handler: Node())
    defer { server.stop() }
    for (file, mode) in [("\(folder.path)/run", directory), (path, socket)] {
      unsafe chown(file, 0, Self.group.number)
      unsafe chmod(file, mode)
    }
    let outcome = try await Program.run("/usr/bin/env", Self.wrapper + ["--control", path])
    #expect(outcome.code == 77)
    #expect(outcome.complaint.hasPrefix("comlink: no permission to use \(path): \(words)"))
  }

  @Test func `who has no daemon and may not use the system's hears of both`() async throws {
    let system = """
      mount -t tmpfs tmpfs /run && mkdir -m 750 /run/comlink && chgrp \(Self.group.name) /run/comlink \
      && : >/run/comlink/control.sock && exec "$@"
      """
    let outcome = try await Program.run(
      "/usr/bin/unshare", ["--mount", "sh", "-c", system, "sh"] + Self.wrapper)
    #expect(outcome.code == 77)
    #expect(
      outcome.complaint.hasPrefix(
        """
        comlink: no comlinkd answers at /tmp/comlink-65534/control.sock, and no permission to use \
        /run/comlink/control.sock: join the group daemon
        """), "\(outcome.complaint)")
  }
}
