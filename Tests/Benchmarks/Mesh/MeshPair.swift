import Glibc
import Remote
import StatusSchema
import TestRig

/// A node that is there, and a caller that comes and goes, on one JACK server; what is timed ends when the first one's
/// mix has the caller's sound.
final class MeshPair {
  private static let periodFrames = 256
  /// Of a full-scale tone at half level; noise of the codec is far below.
  private static let audible: Float = 0.02
  private static let audibleDBFS = -34.0

  private let directory: TemporaryDirectory
  private let server: JackServer
  private let mouth: Probe
  private let ear: Probe
  private let options: (NodeProcess.Options, NodeProcess.Options)
  private let resident: NodeProcess
  private var caller: NodeProcess?

  init(
    _ options: (NodeProcess.Options, NodeProcess.Options), in directory: TemporaryDirectory
  ) throws(RigError) {
    self.directory = directory
    self.options = options
    server = try JackServer("comlink-mesh", periodFrames: Self.periodFrames, in: directory)
    mouth = try Probe(server: server.name, name: "mouth", inputs: 0, outputs: 1, recordSeconds: 0)
    ear = try Probe(server: server.name, name: "ear", inputs: 1, outputs: 0, recordSeconds: 60)
    try mouth.setSource(Speech.tone(hertz: 500, level: 0.5), loops: true)
    try mouth.start()
    resident = try NodeProcess(
      "A", on: server, client: "A", options: options.0, in: directory)
    try ear.waitForPort(resident.port("mix_left"), within: 10)
    try ear.connect(resident.port("mix_left"), to: "ear:in_0")
  }

  /// Puts both nodes into one new group; the caller is started and ended for it.
  func makeGroup() throws(RigError) {
    let caller = try NodeProcess("B", on: server, client: "B", options: options.1, in: directory)
    defer { caller.process.terminate() }
    try caller.waitUntilReady(within: 10)
    try resident.waitUntilReady(within: 10)
    guard case .invitation(let text) = try resident.ask(.groupNew(name: "bench")) else {
      throw .status(reason: "no invitation to a group")
    }
    _ = try caller.ask(.groupJoin(invitation: text))
  }

  /// Starts the caller.
  ///
  /// - Parameter isNew: it remembers no other node, and so has to be told of the first one or to discover it.
  /// - Returns: seconds until it is heard.
  func startCaller(isNew: Bool = false) throws(RigError) -> Double {
    if isNew { unsafe unlink(directory.file("B.state/mesh")) }
    try ear.start()
    let caller = try NodeProcess("B", on: server, client: "B", options: options.1, in: directory)
    self.caller = caller
    try plugIn(caller)
    return try secondsUntilHeard()
  }

  /// Kills the caller and starts it again at once.
  ///
  /// - Returns: seconds from the new start until it is heard.
  func killAndRestartCaller() throws(RigError) -> Double {
    caller?.process.send(signal: 9)
    _ = try caller?.process.wait(within: 5)
    try waitUntil("the dead caller's client to be gone", within: 20) { () throws(RigError) in
      !mouth.hasPort("B:mic")
    }
    return try startCaller()
  }

  /// What takes the caller's network away.
  enum Outage {
    /// Its cable is out, which both kernel and node know.
    case linkDown
    /// The switch between the two passes nothing, and their links stay up.
    case switchOut
  }

  /// Takes the caller's network away for some seconds.
  ///
  /// - Returns: seconds from its return until the caller is heard again.
  func heardAfter(_ outage: Outage, of link: LinkProcess, seconds: Double) throws(RigError)
    -> Double
  {
    if caller == nil { _ = try startCaller() }
    switch outage {
    case .linkDown: try link.setInterface(of: 1, isUp: false)
    case .switchOut: try link.split([[0], [1]])
    }
    pause(seconds: seconds)
    try ear.start()
    switch outage {
    case .linkDown: try link.setInterface(of: 1, isUp: true)
    case .switchOut: try link.join()
    }
    return try secondsUntilHeard()
  }

  /// Ends the caller with a goodbye, and waits until it is gone there too.
  func endCaller() {
    caller?.process.terminate()
    caller = nil
    try? waitUntil("the caller to be gone", within: 10) { () throws(RigError) in
      try resident.status().peers.isEmpty
    }
  }

  /// Ends everything.
  func stop() {
    caller?.process.terminate()
    resident.process.terminate()
    mouth.stop()
    ear.stop()
    server.stop()
  }

  private func plugIn(_ node: NodeProcess) throws(RigError) {
    try waitUntil(
      "the caller's port", within: 10, interval: 0.005, detail: { node.process.outputTail() }
    ) { () throws(RigError) in
      try node.process.checkRunning()
      return mouth.hasPort(node.port("mic"))
    }
    try mouth.connect("mouth:out_0", to: node.port("mic"))
  }

  /// From the start of the ear, by its own clock.
  private func secondsUntilHeard() throws(RigError) -> Double {
    try waitUntil(
      "the caller's sound", within: 30, interval: 0.05,
      detail: { resident.process.outputTail() + "\n" + (caller?.process.outputTail() ?? "") }
    ) { () throws(RigError) in
      try resident.status().peers.contains { $0.levelDBFS > Self.audibleDBFS }
    }
    pause(seconds: 0.2)
    ear.stop()
    guard let heard = ear.recording().firstIndex(where: { abs($0) > Self.audible }) else {
      throw .status(reason: "the caller is heard, but not recorded")
    }
    return Double(heard) / ear.sampleRate
  }
}
