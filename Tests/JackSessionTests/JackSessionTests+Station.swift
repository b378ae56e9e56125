import Audio
import Habits
import System
import TestJack

@testable import JackSession

/// What a session is tried with.
extension JackSessionTests {
  /// An engine and its session, ended with the test.
  final class Station {
    /// What the plugin is handed to wake us.
    private let bell: Bell
    let engine: AudioEngine
    let session: JackSession
    let log = EventLog<JackSessionEvent>()
    let memories = EventLog<PortMemory>()

    init(
      server: String, client: String = "comlink", connects: Bool = true, plugin: String? = nil,
      memory: PortMemory = PortMemory()
    ) throws {
      bell = try Bell()
      engine = try AudioEngine(wakeDescriptor: bell.descriptor, isForPlugin: plugin != nil)
      var configuration = JackSessionConfiguration(
        serverName: server, clientName: client, connectsPhysicalPorts: connects, pluginPath: plugin)
      configuration.memory = memory
      session = try JackSession(
        engine: engine, configuration: configuration,
        onMemory: { [memories] in memories.append($0) }, onEvent: { [log] in log.append($0) })
      try session.start()
    }

    deinit {
      session.stop()
    }

    var connection: JackConnection? {
      guard case .running(let connection) = session.state else { return nil }
      return connection
    }

    func runs() async -> Bool {
      await eventually { connection != nil }
    }

    /// How often JACK refused a port.
    var refusalCount: Int {
      log.events.count { if case .peerPortRefused = $0 { true } else { false } }
    }

    /// How often it came to run.
    var runCount: Int {
      log.events.count { if case .running = $0 { true } else { false } }
    }
  }

  static func otherProgram(on server: TestServer) throws -> TestProcess {
    try TestProcess(
      "jack_metro", ["--bpm", "120"], environment: ["JACK_DEFAULT_SERVER=\(server.name)"])
  }
}
