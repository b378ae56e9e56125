import Glibc
import Synchronization
import TestKit

/// A real jackd on the dummy driver, under a name nobody else has, ended with this object.
public final class TestServer: Sendable {
  private static let counter = Atomic<Int>(0)
  /// How often a program is run that may fail for a moment; see ``ports()``.
  public static let tries = 20
  /// Looks for the end of jack_unload, 10 ms apart.
  private static let unloadPolls = 500

  /// The server's name.
  public let name: String
  private let process: Mutex<TestProcess>
  /// Whether what it left in shared memory is a successor's business.
  private let wasEnded = Atomic<Bool>(false)

  /// A name that no other server of this machine has.
  public static func unusedName() -> String {
    "comlink-test-\(getpid())-\(counter.add(1, ordering: .relaxed).newValue)"
  }

  /// Starts a server and waits until it answers.
  ///
  /// A machine has room for eight JACK servers, whoever runs them: while there is none, it is tried again.
  ///
  /// - Parameters:
  ///   - plugin: what it can load, and has from the start unless told otherwise.
  ///   - portLimit: the most ports it has, its own four among them.
  public static func start(
    name: String = TestServer.unusedName(), sampleRate: Int = 48_000, periodFrames: Int = 256,
    plugin: TestPlugin? = nil, loadsPlugin: Bool = true, portLimit: Int? = nil
  ) async throws -> TestServer {
    let arguments =
      ["-n", name] + (loadsPlugin ? plugin?.arguments ?? [] : [])
      + (portLimit.map { ["-p", "\($0)"] } ?? [])
      + ["-d", "dummy", "-r", "\(sampleRate)", "-p", "\(periodFrames)"]
    let environment = plugin?.environment ?? []
    JackRegistry.freeDeadServers()
    let server = TestServer(
      name: name, process: try TestProcess("jackd", arguments, environment: environment))
    let isAnswering = try await eventually {
      if !server.isRunning {
        JackRegistry.freeDeadServers()
        let next = try TestProcess("jackd", arguments, environment: environment)
        server.process.withLock { $0 = next }
      }
      return server.listedPorts()["system:playback_1"] != nil
    }
    guard isAnswering else { throw NoServer(name: name) }
    return server
  }

  private init(name: String, process: TestProcess) {
    self.name = name
    self.process = Mutex(process)
  }

  deinit {
    process.withLock { $0.end() }
    if !wasEnded.load(ordering: .relaxed) { JackRegistry.removeLeftovers(of: name) }
  }

  /// No server of that name came to answer, as without jackd2.
  struct NoServer: Error {
    let name: String
  }

  private var isRunning: Bool { process.withLock { $0.isRunning } }

  /// SIGSTOP or SIGCONT: a server that hangs for a while.
  public func send(signal: Int32) {
    process.withLock { $0.send(signal: signal) }
  }

  /// SIGKILL or SIGTERM, and wait for the end; a killed one wants a successor of its name, which cleans up.
  public func end(signal: Int32) {
    wasEnded.store(true, ordering: .relaxed)
    send(signal: signal)
    while isRunning { usleep(2000) }
  }

  /// What its process holds; none of anything when it is gone.
  public var holdings: Holdings { Holdings(of: process.withLock { $0.number } ?? 0) }

  /// `jack_lsp -c`: ports, and under each what it is connected to; empty when the server is gone.
  ///
  /// JACK names a client's socket by the client alone, so that of two programs of one name that come to two servers at
  /// one moment one fails: it is tried again.
  public func ports() -> [String: [String]] {
    for _ in 0..<Self.tries where isRunning {
      let ports = listedPorts()
      if !ports.isEmpty { return ports }
    }
    return [:]
  }

  private func listedPorts() -> [String: [String]] {
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

  /// Whether a port is connected to another.
  public func isConnected(_ source: String, _ destination: String) -> Bool {
    ports()[source]?.contains(destination) == true
  }

  /// Connects two ports.
  public func connect(_ source: String, _ destination: String) throws {
    try run("jack_connect", ["-s", name, source, destination])
  }

  /// Loads the plugin as a client, with a path for its socket if it is not the default one.
  ///
  /// - Parameter tries: 1 where it is to be refused.
  public func load(
    client: String = "comlink", socket: String? = nil, tries: Int = TestServer.tries
  ) throws {
    let arguments = ["-s", name, client, "comlink"] + (socket.map { [$0] } ?? [])
    try run("jack_load", arguments, tries: tries)
  }

  /// Unloads an internal client.
  ///
  /// jack_unload of jackd 1.9.21 can hang in libjack at its own end, with the client long unloaded: it is killed then.
  public func unload(client: String = "comlink") throws {
    // It takes the server as its second word.
    let process = try TestProcess("jack_unload", [client, name])
    for _ in 0..<Self.unloadPolls where process.isRunning { usleep(10_000) }
    guard process.isRunning else {
      guard process.succeeds() else {
        throw Failure(program: "jack_unload", output: process.outputAtEnd())
      }
      return
    }
    process.send(signal: SIGKILL)
    let output = process.outputAtEnd()
    guard ports()["\(client):mic"] == nil else {
      throw Failure(program: "jack_unload", output: output)
    }
  }

  /// Takes a connection away.
  public func disconnect(_ source: String, _ destination: String) throws {
    try run("jack_disconnect", ["-s", name, source, destination])
  }

  /// Changes the period of the running server.
  public func setPeriod(frames: Int) throws {
    // jack_bufsize has no option for the server.
    try run("jack_bufsize", ["\(frames)"], environment: ["JACK_DEFAULT_SERVER=\(name)"])
  }

  /// Lets the server freewheel, or no more.
  public func freewheel(_ isOn: Bool) throws {
    try run(
      "jack_freewheel", [isOn ? "y" : "n"], environment: ["JACK_DEFAULT_SERVER=\(name)"])
  }

  /// What a program said that failed at every try.
  struct Failure: Error {
    let program: String
    let output: String
  }

  private func run(
    _ program: String, _ arguments: [String], environment: [String] = [],
    tries: Int = TestServer.tries
  ) throws {
    var output = ""
    for _ in 0..<tries {
      let process = try TestProcess(program, arguments, environment: environment)
      if process.succeeds() { return }
      output = process.outputAtEnd()
    }
    throw Failure(program: program, output: output)
  }
}
