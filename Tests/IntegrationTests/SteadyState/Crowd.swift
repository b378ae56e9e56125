import StatusSchema

@testable import TestRig

/// A node and its peers on one JACK server, all talking to all they know.
struct Crowd {
  /// The node that is looked at.
  let node: NodeProcess
  /// JACK's server of all.
  let server: JackServer
  private let mouth: Probe
  private let peers: [NodeProcess]

  /// Starts everything and returns when sound goes both ways between the node and each peer.
  ///
  /// - Throws: `RigError`.
  init(
    peers count: Int, periodFrames: Int, environment: [String: String] = [:],
    in directory: TemporaryDirectory
  ) throws(RigError) {
    server = try JackServer(
      "crowd", periodFrames: periodFrames, portMaximum: 32 + 8 * count, in: directory)
    let ports = try LoopbackPorts.free(count + 1)
    var options = NodeProcess.Options(port: ports[0])
    options.environment = environment
    node = try NodeProcess("node", on: server, client: "node", options: options, in: directory)
    mouth = try Probe(server: server.name, name: "mouth", inputs: 0, outputs: 1, recordSeconds: 0)
    try mouth.setSource(try Speech.sentences(), loops: true)
    var peers: [NodeProcess] = []
    for (index, port) in ports.dropFirst().enumerated() {
      var options = NodeProcess.Options(port: port)
      options.peerPorts = [ports[0]]
      // Gossip tells the peers of each other: they are not to let each other in.
      options.policy = "ask"
      let name = "peer\(index)"
      peers.append(
        try NodeProcess(name, on: server, client: name, options: options, in: directory))
    }
    self.peers = peers
    for node in [node] + peers {
      try mouth.waitForPort(node.port("mic"), within: 20)
      try mouth.connect("mouth:out_0", to: node.port("mic"))
    }
    try mouth.start()
    for peer in peers { try peer.invite(node.name, within: 20) }
    try node.waitUntilConnected(peers: count, within: 60)
    try waitForSound()
  }

  /// Ends all nodes, then the server.
  func stop() {
    for node in [node] + peers { node.process.send(signal: 15) }
    for node in [node] + peers { node.process.terminate() }
    server.stop()
  }

  /// First uses of memory, of each codec for example, are over after some hundred packets.
  private func waitForSound() throws(RigError) {
    for node in [node] + peers {
      try waitUntil("talk in all directions", within: 120, interval: 0.2) { () throws(RigError) in
        try node.status().peers.allSatisfy { $0.received > 500 }
      }
    }
  }
}
