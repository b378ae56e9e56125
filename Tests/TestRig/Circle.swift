public import Remote
public import StatusSchema

/// Nodes on one JACK server, each with a tone at its microphone, that find each other or not.
public struct Circle: Sendable {
  private let directory: TemporaryDirectory
  private let server: JackServer
  private let mouth: Probe

  /// Starts the server and the voice.
  ///
  /// - Throws: `RigError`.
  public init(in directory: TemporaryDirectory) throws(RigError) {
    self.directory = directory
    server = try JackServer("circle", periodFrames: 480, portMaximum: 128, in: directory)
    mouth = try Probe(server: server.name, name: "mouth", inputs: 0, outputs: 1, recordSeconds: 0)
    try mouth.setSource(Speech.tone(hertz: 500, level: 0.3), loops: true)
    try mouth.start()
  }

  /// Starts a node that says the tone, and waits until it answers.
  ///
  /// - Throws: `RigError`.
  public func node(
    _ name: String, at port: Int, calling peerPort: Int? = nil, policy: String = "ask",
    arguments: [String] = []
  ) throws(RigError) -> NodeProcess {
    var options = NodeProcess.Options(port: port)
    options.arguments = arguments
    options.peerPorts = peerPort.map { [$0] } ?? []
    options.policy = policy
    return try node(name, options: options)
  }

  /// The same with whatever options, a network namespace among them.
  ///
  /// - Throws: `RigError`.
  public func node(_ name: String, options: NodeProcess.Options) throws(RigError) -> NodeProcess {
    let node = try NodeProcess(name, on: server, client: name, options: options, in: directory)
    try node.waitUntilReady(within: 20)
    try mouth.waitForPort(node.port("mic"), within: 20)
    try mouth.connect("mouth:out_0", to: node.port("mic"))
    return node
  }

  /// The names of all ports of the server.
  var portNames: [String] { mouth.portNames }

  /// The new group's invitation.
  ///
  /// - Throws: `RigError`.
  public func group(_ name: String, of node: NodeProcess) throws(RigError) -> SecretText {
    guard case .invitation(let text) = try node.ask(.groupNew(name: name)) else {
      throw .status(reason: "no invitation")
    }
    return text
  }

  /// Waits until sound of one comes in at the other.
  ///
  /// - Throws: `RigError.timeout` with the ends of all logs.
  public func wait(for node: NodeProcess, toHear talker: String, within seconds: Double = 15)
    throws(RigError)
  {
    var before = Int.max
    try waitUntil(
      "\(node.name) to hear \(talker)", within: seconds, interval: 0.2,
      detail: { "\(node.situation)\n\(directory.logTails())" }
    ) { () throws(RigError) in
      let peer = try node.status().peers.first { $0.name == talker }
      guard let peer, peer.state == .connected else { return false }
      defer { before = peer.received }
      return peer.received > before
    }
  }

  /// Whom a node knows.
  ///
  /// - Throws: `RigError`.
  public func knownNodes(of node: NodeProcess) throws(RigError) -> [KnownNodeStatus] {
    guard case .knownNodes(let known) = try node.ask(.peers) else {
      throw .status(reason: "no known nodes")
    }
    return known
  }

  /// Ends the voice and the server.
  public func stop() {
    mouth.stop()
    server.stop()
  }
}
