import Glibc
import Synchronization
import TestKit

/// A `jackd` on the dummy driver with a name of its own, gone with its owner.
///
/// It keeps time as a sound card does (`Tests/Interposer/driver_clock.c`): the stock driver slips by whole periods
/// whenever the machine wakes it late.
public final class JackServer: Sendable {
  /// The server's unique name, for `--jack-server` and probes.
  public let name: String
  /// Frames per second.
  public let sampleRate: Int
  /// Frames per cycle.
  public let periodFrames: Int
  /// The server's process.
  public let process: ChildProcess
  /// Whether what it keeps in shared memory is cleaned up, or a successor's business.
  private let isDoneWith = Mutex(false)

  /// Starts a server and waits until it answers.
  ///
  /// - Parameters:
  ///   - label: made unique by adding the process id and a random number.
  ///   - portMaximum: ports the server can have; fewer need less shared memory.
  ///   - driftPPM: how much faster than the machine's its clock runs, in parts per million.
  ///   - plugin: what it can load, and whether it does.
  ///   - realtimePriority: of its driver; its clients are below, and their media loops further below.
  /// - Throws: `RigError`.
  public convenience init(
    _ label: String = "rig", sampleRate: Int = 48_000, periodFrames: Int = 64,
    portMaximum: Int = 64, driftPPM: Double = 0, plugin: JackPlugin? = nil,
    realtimePriority: Int = usualPriority, in directory: TemporaryDirectory
  ) throws(RigError) {
    try self.init(
      named: "\(label)-\(getpid())-\(UInt16.random(in: 0...UInt16.max))", sampleRate: sampleRate,
      periodFrames: periodFrames, portMaximum: portMaximum, driftPPM: driftPPM, plugin: plugin,
      realtimePriority: realtimePriority, in: directory)
  }

  /// Starts a server of a given name, which must be unique on the machine, and waits until it answers.
  ///
  /// - Parameter hasCard: whether there are the dummy driver's ports, which look like a sound card's.
  ///
  /// A server that was killed keeps its place in JACK's registry until one of its name has ended
  /// in order: give it a successor.
  /// - Throws: `RigError`.
  public init(
    named name: String, sampleRate: Int = 48_000, periodFrames: Int = 64, portMaximum: Int = 64,
    driftPPM: Double = 0, plugin: JackPlugin? = nil, realtimePriority: Int = usualPriority,
    hasCard: Bool = true, in directory: TemporaryDirectory
  ) throws(RigError) {
    self.name = name
    self.sampleRate = sampleRate
    self.periodFrames = periodFrames
    guard ChildProcess.path(of: "jackd") != nil else {
      throw .missing(what: "jackd", hint: "apt-get install jackd2")
    }
    let arguments =
      Self.scheduling(realtimePriority) + ["-n", name, "--port-max", "\(portMaximum)"]
      + (plugin?.arguments ?? []) + ["-d", "dummy", "-r", "\(sampleRate)", "-p", "\(periodFrames)"]
      + (hasCard ? [] : ["-C", "0", "-P", "0"])
    let environment = [
      "JACK_NO_AUDIO_RESERVATION": "1",
      "LD_PRELOAD": try Interposer.build("driver_clock", in: directory),
      "COMLINK_DRIFT_PPM": "\(driftPPM)",
    ].merging(plugin?.environment ?? [:]) { $1 }
    process = try Self.start(
      name, arguments, environment: environment, log: directory.file("jackd-\(name).log"))
  }

  /// Starts jackd until it answers; again where others use the eight servers a machine can have, and once more where
  /// a client that was killed has left its properties locked.
  private static func start(
    _ name: String, _ arguments: [String], environment: [String: String], log: String
  ) throws(RigError) -> ChildProcess {
    let end = monotonicNanoseconds() + 30_000_000_000
    var mayForget = true
    while true {
      JackRegistry.freeDeadServers()
      let process = try ChildProcess(
        "jackd", arguments, environment: environment, outputPath: log)
      let outcome = answer(of: name, process)
      if case .answers = outcome { return process }
      if case .hangs = outcome, mayForget {
        mayForget = false
        process.terminate()
        JackRegistry.forgetProperties()
        continue
      }
      let isCrowded = process.output.contains("Too many servers already active")
      guard isCrowded && monotonicNanoseconds() < end else {
        try process.checkRunning()
        throw .timeout(
          waitingFor: "JACK server \(name)", seconds: 10, detail: process.outputTail())
      }
      pause(seconds: 1)
    }
  }

  private enum Answer { case answers, hangs, nothing }

  /// What a first client hears.
  private static func answer(of name: String, _ process: ChildProcess) -> Answer {
    for _ in 1...10 where process.isRunning {
      do throws(RigError) {
        _ = try Probe(
          server: name, name: "waiting", inputs: 0, outputs: 0, recordSeconds: 0, openSeconds: 1)
        return .answers
      } catch {
        if case .timeout = error { return .hangs }
      }
    }
    return .nothing
  }

  deinit {
    stop()
  }

  /// Ends the server as a crash would; what it leaves is for a successor of the same name.
  public func crash() {
    isDoneWith.withLock { $0 = true }
    process.send(signal: SIGKILL)
    while process.isRunning { pause(seconds: 0.005) }
  }

  /// Ends the server and removes what a killed one leaves in shared memory; twice is harmless.
  public func stop() {
    process.terminate()
    let wasDone = isDoneWith.withLock { isDone in
      defer { isDone = true }
      return isDone
    }
    guard !wasDone else { return }
    JackRegistry.removeLeftovers(of: name)
  }

  /// Real-time when this process may have it: a priority that leaves room for clients below.
  public static let usualPriority = 70

  static func scheduling(_ priority: Int) -> [String] {
    isRealtimePermitted ? ["-R", "-P", "\(priority)"] : ["-r"]
  }

  /// Whether SCHED_FIFO at jackd's priority is allowed here, found by trying.
  public static let isRealtimePermitted: Bool = {
    let previous = sched_getscheduler(0)
    var parameters = sched_param()
    unsafe sched_getparam(0, &parameters)
    var wanted = sched_param()
    wanted.sched_priority = Int32(usualPriority)
    guard unsafe sched_setscheduler(0, SCHED_FIFO, &wanted) == 0 else { return false }
    unsafe sched_setscheduler(0, previous, &parameters)
    return true
  }()
}
