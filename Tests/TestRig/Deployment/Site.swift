import Foundation
import Glibc
import Remote

/// One station of a ``Deployment``: JACK server, node, a mouth that says a tone, and an ear for each other station.
///
/// Parts are replaced when they are killed; not for use from several threads.
public final class Site {
  private static let periodFrames = 256
  private static let toneHertz = [310.0, 430, 550, 670, 790, 910, 1030, 1150]
  static let port = 5004

  /// The station's name, one capital letter.
  public let name: String
  /// The network namespace.
  public let namespace: String
  /// Its JACK server.
  public private(set) var server: JackServer
  /// The node.
  public private(set) var node: NodeProcess
  /// The state directory: a file system of its own, which can be full.
  let state: SmallDisk
  /// Where its node runs; nil: not on this machine.
  private let memory: MemoryGroup?
  /// How far its wall clock is ahead; see `Tests/Interposer/wall_clock.c`.
  private let wallClockPath: String
  private let others: [String]
  private let driftPPM: Double
  private let tone: [Float]
  private let options: NodeProcess.Options
  private let directory: TemporaryDirectory
  private var mouth: Probe
  private var ear: Probe

  init(
    index: Int, of count: Int, namespace: String, driftPPM: Double,
    in directory: TemporaryDirectory
  ) throws(RigError) {
    name = Self.name(of: index)
    self.namespace = namespace
    self.directory = directory
    self.driftPPM = driftPPM
    others = (0..<count).filter { $0 != index }.map(Self.name)
    tone = Speech.tone(hertz: Self.toneHertz[index % Self.toneHertz.count], level: 0.3)
    wallClockPath = directory.file("\(name).clock")
    guard FileManager.default.createFile(atPath: wallClockPath, contents: Data("0".utf8)) else {
      throw .file(path: wallClockPath, reason: "cannot be written")
    }
    state = try SmallDisk(at: directory.file("\(name).state"))
    memory = MemoryGroup.isPermitted ? try MemoryGroup(name: namespace) : nil
    var options = NodeProcess.Options(port: Self.port)
    options.wrapper = memory?.entry ?? []
    options.address = "[::]"
    options.namespace = namespace
    options.policy = "group-only"
    options.discovers = true
    options.environment = [
      "LD_PRELOAD": try Interposer.build("wall_clock", in: directory),
      "COMLINK_WALL_CLOCK": wallClockPath,
    ]
    self.options = options
    server = try JackServer(
      "comlink-\(name)", periodFrames: Self.periodFrames, driftPPM: driftPPM, in: directory)
    node = try NodeProcess(
      name, on: server, client: Self.client(name), options: options, in: directory)
    (mouth, ear) = try Self.probes(name, on: server, inputs: count - 1)
    try plugIn()
  }

  private static func name(of index: Int) -> String {
    "\(Character(UnicodeScalar(65 + UInt8(index))))"
  }

  /// Not the daemon's default: JACK names a client's socket by the client alone,
  /// and all servers here are of one machine.
  private static func client(_ name: String) -> String { "comlink-\(name)" }

  private static func probes(
    _ name: String, on server: JackServer, inputs: Int
  ) throws(RigError) -> (mouth: Probe, ear: Probe) {
    (
      try Probe(
        server: server.name, name: "mouth-\(name)", inputs: 0, outputs: 1, recordSeconds: 0),
      try ear(name, on: server, inputs: inputs)
    )
  }

  private static func ear(
    _ name: String, on server: JackServer, inputs: Int
  ) throws(RigError) -> Probe {
    try Probe(
      server: server.name, name: "ear-\(name)", inputs: inputs, outputs: 0, recordSeconds: 0)
  }

  /// What the ear heard of each other station since it began, in the order of their names.
  public var audibility: Audibility { ear.audibility }

  /// Whether a name is among the server's ports.
  func hasPort(_ port: String) -> Bool { mouth.hasPort(port) }

  /// Puts the ear to each other station's port, as it appears.
  ///
  /// - Throws: `RigError`.
  func listen() throws(RigError) {
    try ear.start()
    for (input, other) in others.enumerated() {
      let port = node.port("peer_\(other)")
      try ear.waitForPort(port, within: 30)
      try ear.connect(port, to: "\(ear.name):in_\(input)")
    }
  }

  /// Listens by another ear from now on.
  func replaceEar() throws(RigError) {
    ear.stop()
    ear = try Self.ear(name, on: server, inputs: others.count)
    try listen()
  }

  private func plugIn() throws(RigError) {
    try mouth.setSource(tone, loops: true)
    try mouth.start()
    try mouth.waitForPort(node.port("mic"), within: 20)
    try mouth.connect("\(mouth.name):out_0", to: node.port("mic"))
  }

  // MARK: What can happen to it

  /// Ends the node by a signal and starts it again.
  func restartNode(by signal: Int32) throws(RigError) {
    node.process.send(signal: signal)
    let status = try node.process.wait(within: 10)
    guard signal != SIGTERM || status == 0 else {
      throw .ended(
        command: node.process.command, status: status, output: node.process.outputTail())
    }
    // JACK's server frees a client's name a moment after its end.
    try waitUntil("the former client to be gone", within: 20) { () throws(RigError) in
      !hasPort(node.port("mic"))
    }
    node = try NodeProcess(
      name, on: server, client: Self.client(name), options: options, in: directory)
    try mouth.waitForPort(node.port("mic"), within: 20)
    try mouth.connect("\(mouth.name):out_0", to: node.port("mic"))
    try listen()
  }

  /// Kills the JACK server and starts another of its name; the node stays.
  func replaceServer() throws(RigError) {
    server.crash()
    server = try JackServer(
      named: server.name, periodFrames: Self.periodFrames, driftPPM: driftPPM, in: directory)
    (mouth, ear) = try Self.probes(name, on: server, inputs: others.count)
    try plugIn()
    // What the user connected is connected again by the node; a listener of ours that is new has to look itself.
    try listen()
  }

  /// Changes the server's period, and back.
  func changePeriod() throws(RigError) {
    for periodFrames in [1024, Self.periodFrames] {
      let change = try ChildProcess(
        "jack_bufsize", ["\(periodFrames)"], environment: ["JACK_DEFAULT_SERVER": server.name],
        outputPath: directory.file("\(name).bufsize"))
      guard try change.wait(within: 20) == 0 else {
        throw .launch(command: change.command, reason: change.output)
      }
      pause(seconds: 1)
    }
  }

  /// Takes away what the station hears and speaks by, for two seconds,
  /// and leaves it to the node to connect what comes back.
  func replugCard() throws(RigError) {
    mouth.unplug()
    ear.unplug()
    pause(seconds: 2)
    (mouth, ear) = try Self.probes(name, on: server, inputs: others.count)
    try mouth.setSource(tone, loops: true)
    try mouth.start()
    try ear.start()
  }

  /// Sets the wall clock of the node forth by a day, back by one, and right.
  func setClock() throws(RigError) {
    for seconds in [86_400, -86_400, 0] {
      let text = "\(seconds)"
      // In place: the library has the file open. Padded, so that no shorter number leaves a rest of a longer one.
      let data = Data((text + String(repeating: " ", count: 12 - text.count)).utf8)
      guard let file = FileHandle(forWritingAtPath: wallClockPath) else {
        throw .file(path: wallClockPath, reason: "cannot be written")
      }
      file.write(data)
      try? file.close()
      pause(seconds: 1)
      // Else the fault struck nobody.
      try waitUntil("\(name) to read its clock \(text) s ahead", within: 5) { () throws(RigError) in
        TestRig.text(ofFile: wallClockPath + ".seen")?.split(separator: "\n").last ?? "" == text
      }
    }
  }

  /// Fills the disk of its state, finds that the node says so, and empties it.
  func fillDisk() throws(RigError) {
    try state.fill()
    defer { state.empty() }
    try expectRefusal(of: "its full disk", because: ENOSPC)
  }

  /// Lets nothing be written where its state is, finds that the node says so, and opens that again.
  func closeDisk() throws(RigError) {
    try state.setClosed(true)
    defer { try? state.setClosed(false) }
    try expectRefusal(of: "a folder that nobody may write to", because: EPERM)
  }

  private func expectRefusal(of disk: String, because reason: Int32) throws(RigError) {
    var words = "nothing, and made a group"
    do { _ = try node.ask(.groupNew(name: "late")) } catch { words = "\(error)" }
    guard words.contains(systemMessage(reason)) else {
      throw .status(reason: "of \(disk), \(name) says: \(words)")
    }
    pause(seconds: 1)
  }

  /// Limits the node's memory to a little more than it has, and lets files of the same control group push it out.
  func pressMemory() throws(RigError) {
    guard let memory else { throw .missing(what: "a memory controller", hint: "needs root") }
    try memory.press(in: directory)
  }

  /// Ends everything.
  func stop() {
    node.process.terminate()
    mouth.stop()
    ear.stop()
    server.stop()
    state.unmount()
    memory?.remove()
  }
}
