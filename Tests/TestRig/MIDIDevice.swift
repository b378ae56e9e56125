/// A JACK client with a MIDI port `keys` that plays and one `lamps` that records: a key panel beside a node.
///
/// It runs in a process of its own, as a ``Probe`` does.
public final class MIDIDevice: Sendable {
  /// Client name, the first half of its ports' names.
  public let name: String
  private let directory: TemporaryDirectory
  private let process: ChildProcess
  private let channel: LineChannel

  /// Opens the client.
  ///
  /// - Throws: `RigError`.
  public init(server: String, name: String) throws(RigError) {
    self.name = name
    directory = try TemporaryDirectory(prefix: "comlink-midi")
    channel = try LineChannel()
    process = try Self.start(["midi", server, name], channel, log: directory.file("log"))
    guard channel.ask(nil, within: 20) == "ok" else {
      throw .timeout(
        waitingFor: "MIDI client \(name) of server \(server)", seconds: 20,
        detail: process.outputTail())
    }
  }

  /// Sends messages, in octets, in the next period.
  ///
  /// - Throws: `RigError`.
  public func send(_ messages: [[UInt8]]) throws(RigError) {
    let texts = messages.map { octets in
      octets.map { String($0, radix: 16) }.joined(separator: " ")
    }
    try tell("send\t" + texts.joined(separator: ","), "sending")
  }

  /// When the periods began in which something was sent since this was asked last, nanoseconds of JACK's clock.
  public func takeSentNanoseconds() -> [Int64] {
    let words = (channel.ask("times", within: 10) ?? "").split(separator: "\t").dropFirst()
    return words.compactMap { Int64($0) }.map { $0 * 1000 }
  }

  /// The messages that came since the last call, in octets.
  public func take() -> [[UInt8]] {
    let words = (channel.ask("take", within: 10) ?? "").split(separator: "\t").dropFirst()
    return words.map { $0.split(separator: " ").compactMap { UInt8($0, radix: 16) } }
  }

  /// Connects both ports with a node's.
  ///
  /// - Throws: `RigError`.
  public func connect(to node: NodeProcess) throws(RigError) {
    try waitUntil("\(node.name)'s MIDI ports", within: 10) {
      isDone("connect\t\(name):keys\t\(node.port("keys_in"))")
    }
    try tell("connect\t\(node.port("tally_out"))\t\(name):lamps", "connecting lamps")
  }

  /// Takes the keys from a node.
  ///
  /// - Throws: `RigError`.
  public func disconnectKeys(from node: NodeProcess) throws(RigError) {
    try tell("disconnect\t\(name):keys\t\(node.port("keys_in"))", "disconnecting keys")
  }

  /// Takes the keys from a node and puts them to it again, at once.
  ///
  /// - Throws: `RigError`.
  public func blinkKeys(at node: NodeProcess) throws(RigError) {
    try tell("blink\t\(name):keys\t\(node.port("keys_in"))", "blinking keys")
  }

  /// Puts the keys to a node again.
  ///
  /// - Throws: `RigError`.
  public func connectKeys(to node: NodeProcess) throws(RigError) {
    try tell("connect\t\(name):keys\t\(node.port("keys_in"))", "connecting keys")
  }

  /// Ends the client: its ports vanish.
  public func unplug() { process.terminate() }

  private static func start(
    _ arguments: [String], _ channel: LineChannel, log: String
  ) throws(RigError) -> ChildProcess {
    defer { channel.closeChildEnd() }
    return try ChildProcess(
      try Executables.path(of: "comlink-probe"), arguments, outputPath: log,
      standardInput: channel.childEnd, standardOutput: channel.childEnd)
  }

  private func isDone(_ line: String) -> Bool { channel.ask(line, within: 10) == "ok" }

  private func tell(_ line: String, _ action: String) throws(RigError) {
    guard isDone(line) else { throw .jack(action: action, code: -1) }
  }
}
