import Foundation
import Remote
import StatusSchema
import Testing

/// comlinkd and comlink as somebody types them for the first time: without any argument.
///
/// Its default port and its announcements belong to the whole machine, so it gets a network of its own, and a user
/// who has nothing.
@Suite(
  .enabled(if: geteuid() == 0, "only root can give a network of its own"), .timeLimit(.minutes(2)))
struct NoArgumentsTests {
  private static let nobody: uid_t = 65534
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    for name in ["run", "state", "config"] {
      let path = "\(folder.path)/\(name)"
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      try #require(unsafe chown(path, Self.nobody, Self.nobody) == 0)
    }
    // The way there, too.
    try #require(unsafe chmod(folder.path, 0o755) == 0)
  }

  /// A program without arguments of its own but those given, as that user.
  private func program(_ name: String, _ arguments: [String] = [], wrapper: [String]) throws
    -> Program
  {
    let user = [
      "setpriv", "--reuid=\(Self.nobody)", "--regid=\(Self.nobody)", "--clear-groups", "env", "-u",
      "STATE_DIRECTORY",
    ]
    return try Program(
      "/usr/bin/env", wrapper + user + [Program.path(of: name)] + arguments,
      environment: [
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": folder.path,
        "XDG_RUNTIME_DIR": "\(folder.path)/run", "XDG_STATE_HOME": "\(folder.path)/state",
        "XDG_CONFIG_HOME": "\(folder.path)/config", "JACK_DEFAULT_SERVER": "none-\(getpid())",
        // The machine's own avahi-daemon would announce what only this network has.
        "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere",
      ])
  }

  @Test
  func
    `the daemon runs, the remote finds it, and what it needs to be kept is in the user's folders`()
    async throws
  {
    let network = ["unshare", "-n", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]
    let daemon = try program("comlinkd", wrapper: network)
    while !daemon.complaint.contains("comlinkd: ready ") {
      try #require(daemon.isRunning, "\(daemon.complaint)")
      try await Task.sleep(for: .milliseconds(10))
    }
    let answer = try await program("comlink", ["status", "--json"], wrapper: []).outcome()
    #expect(answer.code == 0, "\(answer.complaint)")
    let status = try JSONDecoder().decode(Status.self, from: Data(answer.output.utf8))
    #expect(status.audio.state == .waiting)
    #expect(status.node.talk)
    #expect(!status.node.name.isEmpty)
    #expect(status.node.identityProblem == nil)
    #expect(status.peers.isEmpty)
    #expect(FileManager.default.fileExists(atPath: "\(folder.path)/run/comlink/control.sock"))
    #expect(FileManager.default.fileExists(atPath: "\(folder.path)/state/comlink"))
    kill(daemon.identifier, SIGTERM)
    #expect(try await daemon.outcome().code == 0)
  }
}
