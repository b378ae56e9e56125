/// A node on a JACK server of its own, with a probe for a mouth and one for an ear.
public final class Station: Sendable {
  /// The node's JACK server.
  public let server: JackServer
  /// The node.
  public let node: NodeProcess
  /// Plays into the microphone port.
  public let mouth: Probe
  /// Records what the node plays, one input per port listened to.
  public let ear: Probe

  /// Starts server, node and probes; nothing is connected yet.
  ///
  /// - Parameters:
  ///   - recordSeconds: room in the ear and in the logs of both probes.
  ///   - driftPPM: how much faster than the machine's the server's clock runs.
  ///   - isViaPlugin: whether the plugin in the server plays for the node.
  /// - Throws: `RigError`.
  public init(
    _ name: String, sampleRate: Int = 48_000, periodFrames: Int, options: NodeProcess.Options,
    recordSeconds: Double, earInputs: Int = 4, driftPPM: Double = 0,
    isViaPlugin: Bool = false, in directory: TemporaryDirectory
  ) throws(RigError) {
    let plugin = isViaPlugin ? try JackPlugin(.atStart, in: directory) : nil
    server = try JackServer(
      "comlink-\(name)", sampleRate: sampleRate, periodFrames: periodFrames, driftPPM: driftPPM,
      plugin: plugin, in: directory)
    var options = options
    options.arguments += plugin?.nodeArguments ?? []
    node = try NodeProcess(name, on: server, options: options, in: directory)
    mouth = try Probe(
      server: server.name, name: "mouth", inputs: 0, outputs: 1, recordSeconds: recordSeconds)
    ear = try Probe(
      server: server.name, name: "ear", inputs: earInputs, outputs: 0,
      recordSeconds: recordSeconds)
  }

  /// Puts the mouth, which will say this, to the microphone.
  ///
  /// - Throws: `RigError`.
  public func prepareToSay(_ speech: [Float], loops: Bool = false) throws(RigError) {
    try mouth.setSource(speech, loops: loops)
    try mouth.waitForPort(node.port("mic"), within: 10)
    try mouth.connect("mouth:out_0", to: node.port("mic"))
  }

  /// Puts the ear's inputs to ports of the node, in order.
  ///
  /// - Throws: `RigError`.
  public func listen(to ports: [String]) throws(RigError) {
    for (index, port) in ports.enumerated() {
      let name = node.port(port)
      try ear.waitForPort(name, within: 10)
      try ear.connect(name, to: "ear:in_\(index)")
    }
  }

  /// Ends the node, then the server; twice is harmless.
  public func stop() {
    mouth.stop()
    ear.stop()
    node.process.terminate()
    server.stop()
  }
}
