import CProbe
import Foundation
import Synchronization

/// A JACK test client that plays known sound and records what comes back, with time stamps.
///
/// It runs in a process of its own (`comlink-probe`), because libjack serves one server per process.
/// Use two probes, one that only plays and one that only records, around a client under test on
/// the same server: one probe on both sides is a loop, which JACK breaks with a period of delay.
/// Calls wait for the other process; safe from any thread.
public final class Probe: Sendable {
  /// What a probe does with its ports.
  public enum Mode: Sendable {
    /// Plays its sources, records its inputs.
    case measure
    /// Copies inputs to outputs: the barest client, to compare xruns with.
    case passThrough
    /// The first, with ports that say they are a sound card's: it is plugged in by `init`,
    /// and unplugged with its owner.
    case card

    fileprivate var number: Int {
      switch self {
      case .measure: 0
      case .passThrough: 1
      case .card: 2
      }
    }
  }

  /// Client name, the first half of its ports' names.
  public let name: String
  /// The server's frames per second.
  public let sampleRate: Double
  /// The server's frames per cycle.
  public let periodFrames: Int

  private let inputs: Int
  private let directory: TemporaryDirectory
  private let process: ChildProcess
  private let channel: LineChannel
  private let cache = Mutex<ProbeRecord?>(nil)

  /// Opens a client with ports `in_0 ...` and `out_0 ...`; silent until `start`.
  ///
  /// - Parameters:
  ///   - recordSeconds: room for the recording and the log of cycles, all touched here.
  ///   - openSeconds: how long to wait for a server that does not answer yet.
  /// - Throws: `RigError.jack`, `.timeout` when libjack does not return, or that the program cannot be run.
  public init(
    server: String, name: String, inputs: Int, outputs: Int, recordSeconds: Double,
    mode: Mode = .measure, openSeconds: Int = 0
  ) throws(RigError) {
    self.name = name
    self.inputs = inputs
    directory = try TemporaryDirectory(prefix: "comlink-probe")
    channel = try LineChannel()
    process = try Self.start(
      [server, name, "\(mode.number)", "\(inputs)", "\(outputs)"]
        + ["\(recordSeconds)", "\(openSeconds)"], channel, log: directory.file("log"))
    let patience = openSeconds + 20
    let answer = channel.ask(nil, within: patience)
    if answer == nil && process.isRunning {
      process.send(signal: SIGKILL)
      throw .timeout(
        waitingFor: "client \(name) of server \(server) to open", seconds: Double(patience),
        detail: "libjack does not return")
    }
    let values = try Self.values(
      answer, doing: "opening client \(name) on server \(server)", process)
    sampleRate = values.first.flatMap(Double.init) ?? 0
    periodFrames = values.last.flatMap(Int.init) ?? 0
  }

  /// What its process has used so far; nil when it has ended.
  public var usage: ProcessUsage? { ProcessUsage(of: process.identifier) }

  /// Xruns the server reported since `start`.
  public var xruns: Int { counts[1] }

  /// Cycles this client missed since `start`, seen as jumps of the frame counter.
  public var skips: Int { counts[2] }

  /// Frames recorded per input since `start`.
  public var recordedFrames: Int { counts[4] }

  /// How much was heard since `start`; zeros when the program is gone.
  public var audibility: Audibility {
    let values = ((try? tell(["audible"], "")) ?? []).compactMap(Int.init)
    guard values.count == 1 + inputs else {
      return Audibility(cycles: 0, audible: Array(repeating: 0, count: inputs))
    }
    return Audibility(cycles: values[0], audible: Array(values.dropFirst()))
  }

  /// Whether the server still serves this client.
  public var isAlive: Bool { counts[0] == 1 }

  /// Gives an output mono sound at the server's rate; not while running.
  ///
  /// - Throws: `RigError.jack`, `.file`.
  public func setSource(_ samples: [Float], output: Int = 0, loops: Bool = false) throws(RigError) {
    let path = directory.file("source")
    let data = unsafe samples.withUnsafeBytes { unsafe Data($0) }
    guard FileManager.default.createFile(atPath: path, contents: data) else {
      throw .file(path: path, reason: "cannot be written")
    }
    try tell(["source", "\(output)", loops ? "1" : "0", path], "giving \(name) a source")
  }

  /// Plays and records from the next cycle on, from the sources' beginning.
  ///
  /// - Throws: `RigError.jack`.
  public func start() throws(RigError) {
    try tell(["start"], "starting \(name)")
    cache.withLock { $0 = nil }
  }

  /// Falls silent; the recording and the log stay until the next `start`.
  public func stop() {
    _ = channel.ask("stop")
    cache.withLock { $0 = nil }
  }

  /// Ends the client: its ports vanish, and JACK frees its name a moment later.
  public func unplug() { process.terminate() }

  /// Stops its process for a while, as a client does that hangs: whoever comes after it in the graph does not run.
  public func hang(seconds: Double) {
    process.send(signal: SIGSTOP)
    pause(seconds: seconds)
    process.send(signal: SIGCONT)
  }

  /// Connects two ports by their full names.
  ///
  /// Waits a moment for a client that has registered its ports but is not active yet.
  /// - Throws: `RigError.jack`.
  public func connect(
    _ from: String, to: String, within seconds: Double = 5
  ) throws(RigError) {
    let end = monotonicNanoseconds() + Int64(seconds * 1e9)
    while true {
      do {
        try tell(["connect", from, to], "connecting \(from) to \(to)")
        return
      } catch {
        guard monotonicNanoseconds() < end else { throw error }
      }
      pause(seconds: 0.05)
    }
  }

  /// Takes a connection away; there being none is success.
  ///
  /// - Throws: `RigError.jack`.
  public func disconnect(_ from: String, from to: String) throws(RigError) {
    try tell(["disconnect", from, to], "disconnecting \(from) from \(to)")
  }

  /// Whether the server has a port of this full name.
  public func hasPort(_ port: String) -> Bool {
    (try? tell(["has", port], "")) == ["1"]
  }

  /// The full names of all ports of the server.
  public var portNames: [String] { (try? tell(["ports"], ""))?.filter { !$0.isEmpty } ?? [] }

  /// Waits for a port to be registered.
  ///
  /// - Throws: `RigError.timeout`, which lists the ports there are.
  public func waitForPort(_ port: String, within seconds: Double) throws(RigError) {
    try waitUntil(
      "port \(port)", within: seconds,
      detail: { "the ports are " + portNames.joined(separator: ", ") }
    ) { () throws(RigError) in hasPort(port) }
  }

  /// What one input has recorded so far.
  public func recording(_ input: Int = 0) -> [Float] {
    let record = record
    return input < record.recordings.count ? record.recordings[input] : []
  }

  /// When the frames of the sources were at the outputs; positions count through loops.
  public var playedTimeLine: TimeLine { timeLine { $0.played_frames } }

  /// When the frames of the recordings were at the inputs.
  public var recordedTimeLine: TimeLine { timeLine { $0.recorded_frames } }

  private func timeLine(_ position: (rig_period) -> Int64) -> TimeLine {
    let cycles = record.periods.map { period in
      TimeLine.Cycle(
        startNanoseconds: Int64(period.cycle_microseconds) * 1000, position: position(period),
        frames: Int(period.frames))
    }
    return TimeLine(cycles: cycles, sampleRate: sampleRate)
  }

  /// ALIVE XRUNS SKIPS PERIODS RECORDED; zeros when the program is gone.
  private var counts: [Int] {
    let values = ((try? tell(["counts"], "")) ?? []).compactMap(Int.init)
    return values.count == 5 ? values : [0, 0, 0, 0, 0]
  }

  /// Everything logged and recorded, fetched once after each stop.
  private var record: ProbeRecord {
    if let record = cache.withLock({ $0 }) { return record }
    let path = directory.file("record")
    guard let counts = (try? tell(["save", path], ""))?.compactMap(Int.init), counts.count == 2,
      let data = FileManager.default.contents(atPath: path)
    else { return ProbeRecord() }
    let record = ProbeRecord(data, periods: counts[0], frames: counts[1], inputs: inputs)
    cache.withLock { $0 = record }
    return record
  }

  private static func start(
    _ arguments: [String], _ channel: LineChannel, log: String
  ) throws(RigError) -> ChildProcess {
    defer { channel.closeChildEnd() }
    return try ChildProcess(
      try Executables.path(of: "comlink-probe"), arguments, outputPath: log,
      standardInput: channel.childEnd, standardOutput: channel.childEnd)
  }

  @discardableResult
  private func tell(_ words: [String], _ action: String) throws(RigError) -> [String] {
    try Self.values(channel.ask(words.joined(separator: "\t")), doing: action, process)
  }

  private static func values(
    _ line: String?, doing action: String, _ process: ChildProcess
  ) throws(RigError) -> [String] {
    guard let line else {
      throw .ended(
        command: process.command, status: process.endStatus ?? 255, output: process.outputTail())
    }
    let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    guard words.first == "ok" else {
      throw .jack(action: action, code: -(words.last.flatMap(Int32.init) ?? 0))
    }
    return Array(words.dropFirst())
  }
}

/// In how many JACK cycles a probe heard something, input by input.
public struct Audibility: Sendable, Equatable {
  /// Cycles run.
  public var cycles: Int
  /// Those of them in which an input was louder than -40 dBFS at its peak; in order of the inputs.
  public var audible: [Int]

  /// What there was since an earlier look at the same probe.
  public func since(_ earlier: Audibility) -> Audibility {
    Audibility(
      cycles: cycles - earlier.cycles, audible: zip(audible, earlier.audible).map { $0 - $1 })
  }
}
