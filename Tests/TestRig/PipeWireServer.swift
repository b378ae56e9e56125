import Glibc
import Synchronization

/// A PipeWire with its session manager and bus, in a runtime directory of its own, gone with its owner.
///
/// It has no card: its dummy driver keeps the time.
public final class PipeWireServer: Sendable {
  private struct Processes {
    var pipeWire: ChildProcess?
    var wirePlumber: ChildProcess?
  }

  /// What clients need to find it, and nothing of the user's own.
  public let environment: [String: String]
  private let directory: TemporaryDirectory
  private let bus: ChildProcess
  private let processes = Mutex(Processes())

  /// Starts it and waits until a client is called.
  ///
  /// - Throws: `RigError`; `.missing` where it is not installed.
  public init(in directory: TemporaryDirectory) throws(RigError) {
    self.directory = directory
    for program in ["pipewire", "wireplumber", "pw-jack", "dbus-daemon"] {
      guard ChildProcess.path(of: program) != nil else {
        throw .missing(
          what: program, hint: "apt-get install pipewire pipewire-jack wireplumber dbus")
      }
    }
    let address = "unix:path=\(directory.file("bus"))"
    environment = [
      "XDG_RUNTIME_DIR": directory.path, "HOME": directory.path,
      "XDG_CONFIG_HOME": directory.path, "XDG_STATE_HOME": directory.path,
      "DBUS_SESSION_BUS_ADDRESS": address,
    ]
    bus = try ChildProcess(
      "dbus-daemon", ["--session", "--nofork", "--nopidfile", "--address=\(address)"],
      outputPath: directory.file("bus.log"))
    try waitUntil("the bus", within: 20) { unsafe access(directory.file("bus"), F_OK) == 0 }
    try start()
  }

  deinit {
    stop()
    bus.terminate()
  }

  /// Starts both anew, as after ``stop()``.
  public func start() throws(RigError) {
    try startPipeWire()
    try startWirePlumber()
  }

  /// Ends both, as an upgrade or `systemctl --user restart` does.
  public func stop() {
    processes.withLock { processes in
      processes.wirePlumber?.terminate()
      processes.pipeWire?.terminate()
      processes = Processes()
    }
  }

  /// Ends the session manager alone, and starts another one.
  public func restartWirePlumber() throws(RigError) {
    processes.withLock { _ = $0.wirePlumber?.terminate() }
    try startWirePlumber()
  }

  /// Stops PipeWire for so long.
  public func stall(seconds: Double) {
    processes.withLock { processes in
      processes.pipeWire?.send(signal: SIGSTOP)
      pause(seconds: seconds)
      processes.pipeWire?.send(signal: SIGCONT)
    }
  }

  /// Orders a period for everybody.
  public func force(periodFrames: Int) throws(RigError) {
    let program = try ChildProcess(
      "pw-metadata", ["-n", "settings", "0", "clock.force-quantum", "\(periodFrames)"],
      environment: environment, outputPath: directory.file("metadata.log"))
    guard try program.wait(within: 20) == 0 else {
      throw .launch(command: program.command, reason: program.output)
    }
  }

  /// Starts a JACK program on it.
  public func program(_ name: String, _ arguments: [String] = []) throws(RigError) -> ChildProcess {
    try ChildProcess(
      "pw-jack", [name] + arguments, environment: environment,
      outputPath: directory.file("\(name).log"))
  }

  /// What `jack_lsp -c` says: ports, and under each what it is connected to.
  public func ports() throws(RigError) -> String {
    let list = try program("jack_lsp", ["-c"])
    _ = try list.wait(within: 20)
    return list.output
  }

  private func startPipeWire() throws(RigError) {
    let process = try ChildProcess(
      "pipewire", [], environment: environment, outputPath: directory.file("pipewire.log"))
    processes.withLock { $0.pipeWire = process }
    try waitUntil("PipeWire", within: 20, detail: { process.outputTail() }) {
      () throws(RigError) in
      try process.checkRunning()
      return unsafe access(directory.file("pipewire-0"), F_OK) == 0
    }
  }

  private func startWirePlumber() throws(RigError) {
    let process = try ChildProcess(
      "wireplumber", [], environment: environment, outputPath: directory.file("wireplumber.log"))
    processes.withLock { $0.wirePlumber = process }
  }
}
