import Glibc
import Synchronization

/// A real jackd on the dummy driver, under a name nobody else has.
final class TestServer: Sendable {
  private static let counter = Atomic<Int>(0)

  let name: String
  private let process: Mutex<TestProcess>

  static func unusedName() -> String {
    "comlink-test-\(getpid())-\(counter.add(1, ordering: .relaxed).newValue)"
  }

  /// Starts a server and waits until it answers.
  ///
  /// A machine has room for eight JACK servers, whoever runs them: while there is none, it is tried again.
  static func start(
    name: String = TestServer.unusedName(), sampleRate: Int = 48_000, periodFrames: Int = 256
  ) async throws -> TestServer {
    let arguments = ["-n", name, "-d", "dummy", "-r", "\(sampleRate)", "-p", "\(periodFrames)"]
    let server = TestServer(name: name, process: try TestProcess("jackd", arguments))
    let isAnswering = try await eventually {
      if !server.isRunning {
        let next = try TestProcess("jackd", arguments)
        server.process.withLock { $0 = next }
      }
      return server.ports()["system:playback_1"] != nil
    }
    guard isAnswering else { throw NoServer(name: name) }
    return server
  }

  private init(name: String, process: TestProcess) {
    self.name = name
    self.process = Mutex(process)
  }

  /// No server of that name came to answer.
  struct NoServer: Error {
    let name: String
  }

  private var isRunning: Bool { process.withLock { $0.isRunning } }

  /// SIGSTOP or SIGCONT: a server that hangs for a while.
  func send(signal: Int32) {
    process.withLock { $0.send(signal: signal) }
  }

  /// SIGKILL or SIGTERM, and wait for the end.
  func end(signal: Int32) {
    send(signal: signal)
    while isRunning { usleep(2000) }
  }

  /// `jack_lsp -c`: ports, and under each what it is connected to.
  func ports() -> [String: [String]] {
    var ports: [String: [String]] = [:]
    var current = ""
    for line in TestProcess.output("jack_lsp", ["-s", name, "-c"]).split(separator: "\n") {
      if line.hasPrefix(" ") {
        ports[current, default: []].append(String(line.drop { $0 == " " }))
      } else {
        current = String(line)
        ports[current] = []
      }
    }
    return ports
  }

  func isConnected(_ source: String, _ destination: String) -> Bool {
    ports()[source]?.contains(destination) == true
  }

  func connect(_ source: String, _ destination: String) {
    _ = TestProcess.output("jack_connect", ["-s", name, source, destination])
  }

  func disconnect(_ source: String, _ destination: String) {
    _ = TestProcess.output("jack_disconnect", ["-s", name, source, destination])
  }

  /// jack_bufsize has no option for the server.
  func setPeriod(frames: Int) {
    _ = TestProcess.output(
      "jack_bufsize", ["\(frames)"], environment: ["JACK_DEFAULT_SERVER=\(name)"])
  }
}

/// Polls until the condition holds, for a minute at most.
///
/// A bound for a busy machine, not a measure.
func eventually(_ condition: () throws -> Bool) async rethrows -> Bool {
  for _ in 0..<1200 {
    if try condition() { return true }
    try? await Task.sleep(for: .milliseconds(50))
  }
  return false
}

/// Keeps what a callback was told.
final class EventLog<Event: Hashable & Sendable>: Sendable {
  private let stored = Mutex<[Event]>([])

  var events: [Event] { stored.withLock { $0 } }

  func append(_ event: Event) {
    stored.withLock { $0.append(event) }
  }

  func contains(_ isWanted: (Event) -> Bool) -> Bool {
    events.contains(where: isWanted)
  }
}
