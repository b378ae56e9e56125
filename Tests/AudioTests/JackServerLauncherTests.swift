import Foundation
import TestJack
import Testing

@testable import Audio

/// Against real jackd processes.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct JackServerLauncherTests {
  private final class Launch {
    let name = TestServer.unusedName()
    let log = EventLog<JackServerEvent>()
    let launcher: JackServerLauncher

    init(program: String = "jackd") throws {
      launcher = try JackServerLauncher(
        program: program, serverName: name, onEvent: { [log] in log.append($0) })
      try launcher.start()
    }

    deinit {
      launcher.stop()
    }

    /// The process ids of all servers started so far.
    var processIdentifiers: [Int32] {
      log.events.compactMap {
        if case .started(let identifier, _) = $0 { identifier } else { nil }
      }
    }

    var hasPorts: Bool {
      TestProcess.output("jack_lsp", ["-s", name]).contains("system:playback_1")
    }
  }

  private static func isAlive(_ identifier: Int32) -> Bool {
    kill(identifier, 0) == 0
  }

  @Test
  func `a server is started, and ended with SIGTERM`() async throws {
    let launch = try Launch()
    #expect(await eventually { launch.hasPorts })
    let identifier = try #require(launch.processIdentifiers.last)
    #expect(launch.launcher.stop())
    #expect(!Self.isAlive(identifier))
    #expect(launch.log.events.last == .stopped)
    #expect(!launch.hasPorts)
  }

  @Test
  func `a server that dies is started again, and the end is told with its reason`() async throws {
    let launch = try Launch()
    #expect(await eventually { launch.hasPorts })
    let first = try #require(launch.processIdentifiers.last)
    _ = kill(first, SIGKILL)
    #expect(
      await eventually {
        launch.log.contains { if case .ended("signal 9", _, _) = $0 { true } else { false } }
      })
    #expect(await eventually { launch.processIdentifiers.last != first })
    #expect(await eventually { launch.hasPorts })
  }

  @Test
  func `a server that cannot start is tried again ever more rarely, with its own words`()
    async throws
  {
    let launch = try Launch(program: "false")
    #expect(await eventually { launch.processIdentifiers.count >= 3 })
    let delays = launch.log.events.compactMap {
      if case .ended("status 1", _, let delay) = $0 { delay } else { nil }
    }
    #expect(delays.prefix(2) == [500, 1000])
    #expect(launch.launcher.stop())
  }

  /// With a session that sees it no jackd is started at all; without, jackd finds out.
  @Test(arguments: [true, false])
  func `a server of that name that runs already is told once, and succeeded when it ends`(
    isSeen: Bool
  ) async throws {
    let launch = try Launch()
    #expect(await eventually { launch.hasPorts })
    let log = EventLog<JackServerEvent>()
    let second = try JackServerLauncher(
      program: "jackd", serverName: launch.name, looksMilliseconds: isSeen ? 2000 : 0
    ) {
      log.append($0)
    }
    if isSeen { second.note(.refused(server: launch.name, reason: "the name is taken")) }
    try second.start()
    #expect(await eventually { log.events.last == .alreadyRunning(server: launch.name) })
    // Without a change jackd would have been tried three times by then.
    try await Task.sleep(for: .seconds(4))
    #expect(log.events.count == (isSeen ? 1 : 2))
    #expect(launch.hasPorts)
    #expect(launch.launcher.stop())
    second.note(.waiting(server: launch.name))
    #expect(
      await eventually {
        guard case .started = log.events.last else { return false }
        return launch.hasPorts
      })
    #expect(!log.contains { if case .ended = $0 { true } else { false } })
    #expect(second.stop())
  }

  @Test(arguments: [true, false])
  func `a session that sees no server, or says nothing for long, lets one be started`(
    isWordGiven: Bool
  ) async throws {
    let name = TestServer.unusedName()
    let log = EventLog<JackServerEvent>()
    let launcher = try JackServerLauncher(
      program: "jackd", serverName: name, looksMilliseconds: isWordGiven ? 60_000 : 500
    ) {
      log.append($0)
    }
    try launcher.start()
    if isWordGiven { launcher.note(.waiting(server: name)) }
    #expect(await eventually { !log.events.isEmpty })
    guard case .started = log.events.first else {
      Issue.record("\(log.events)")
      return
    }
    #expect(launcher.stop())
  }

  @Test
  func `without jackd the launcher says which package to install`() async throws {
    let launch = try Launch(program: "no-such-jackd")
    #expect(await eventually { launch.log.events == [.notInstalled] })
    #expect(JackServerEvent.notInstalled.description.contains("sudo apt-get install jackd2"))
    #expect(launch.launcher.stop())
  }

  @Test
  func `a server that ignores SIGTERM is killed`() async throws {
    let folder = FileManager.default.temporaryDirectory
    let script = folder.appendingPathComponent("\(TestServer.unusedName()).sh")
    try "#!/bin/sh\ntrap '' TERM\necho ready\nwhile :; do sleep 0.1; done\n"
      .write(to: script, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script.path)
    defer { try? FileManager.default.removeItem(at: script) }

    let launch = try Launch(program: "../../\(script.path)")
    #expect(await eventually { launch.processIdentifiers.count == 1 })
    let identifier = try #require(launch.processIdentifiers.first)
    try await Task.sleep(for: .milliseconds(500))
    #expect(launch.launcher.stop())
    #expect(!Self.isAlive(identifier))
  }

  @Test
  func `the server ends when the thread that owns it ends without a word`() async throws {
    let identifiers = EventLog<Int32>()
    let thread = try BlockingThread(name: "test-parent") { _ in
      guard
        let child = try? ChildProcess(
          path: "/bin/sleep", arguments: ["600"], extraEnvironment: [],
          keepsStandardOutput: false)
      else { return }
      // setpriv has set the signal once it has become the program.
      let name = "/proc/\(child.identifier)/comm"
      while (try? String(contentsOfFile: name, encoding: .utf8)) != "sleep\n" { usleep(1000) }
      identifiers.append(child.identifier)
    }
    try thread.start()
    #expect(await eventually { identifiers.events.count == 1 })
    let identifier = try #require(identifiers.events.first)
    #expect(
      await eventually {
        var status: Int32 = 0
        return unsafe waitpid(identifier, &status, WNOHANG) == identifier && status == SIGTERM
      })
    #expect(thread.stop(withinMilliseconds: 1000))
  }

  @Test
  func `the server is our process group's stranger and inherits no descriptor of ours`()
    async throws
  {
    let open = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/etc/hostname"))
    _ = fcntl(open.fileDescriptor, F_SETFD, 0)
    let launch = try Launch()
    #expect(await eventually { launch.hasPorts })
    let identifier = try #require(launch.processIdentifiers.last)
    #expect(getpgid(identifier) == identifier)
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/fd")
    let targets = descriptors.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(identifier)/fd/\($0)")
    }
    #expect(!targets.contains("/etc/hostname"))
    #expect(targets.contains("/dev/null"))
  }
}
