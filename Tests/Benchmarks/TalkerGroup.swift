import TestRig

/// Many nodes on one JACK server of long periods, all talking to one receiver.
///
/// Real daemons: the receiver sees what it would see on a network. Real talkers have machines of their own, so these
/// run below the receiver's threads and never instead of them.
final class TalkerGroup {
  /// Twenty below it are the talkers' media loops, and the receiver's is above them all.
  private static let realtimePriority = 40
  /// So many come at once: a receiver talks to 16 strangers at a time, and others have to try again.
  private static let mostStrangers = 8

  private let directory: TemporaryDirectory
  private let receiverPort: Int
  private let receiverName: String
  private let server: JackServer
  /// Whether others talk on that server, too, and who made it ends it.
  private let isShared: Bool
  private let mouth: Probe
  /// The talkers, in the order in which they came.
  private(set) var nodes: [NodeProcess] = []

  /// A server for talkers.
  static func server(
    maximum: Int, in directory: TemporaryDirectory
  ) throws(RigError) -> JackServer {
    try JackServer(
      "comlink-talkers", periodFrames: 480, portMaximum: 64 + 8 * maximum,
      realtimePriority: Self.realtimePriority, in: directory)
  }

  /// Starts a mouth that never tires, on a server of the group's own if there is none to share; no talker yet.
  init(
    to receiver: NodeProcess, at receiverPort: Int, maximum: Int, on shared: JackServer? = nil,
    in directory: TemporaryDirectory
  ) throws(RigError) {
    self.directory = directory
    self.receiverPort = receiverPort
    receiverName = receiver.name
    isShared = shared != nil
    if let shared {
      server = shared
    } else {
      server = try Self.server(maximum: maximum, in: directory)
    }
    mouth = try Probe(
      server: server.name, name: "mouth-\(receiverName)", inputs: 0, outputs: 1, recordSeconds: 0)
    try mouth.setSource(Speech.lasting(20, try Speech.sentences()), loops: true)
    try mouth.start()
  }

  /// Talkers now.
  var count: Int { nodes.count }

  /// Adds talkers until there are so many.
  func grow(to count: Int) throws(RigError) {
    let ports = try LoopbackPorts.free(max(0, count - nodes.count))
    for first in stride(from: 0, to: ports.count, by: Self.mostStrangers) {
      try start(ports[first..<min(first + Self.mostStrangers, ports.count)])
    }
  }

  private func start(_ ports: ArraySlice<Int>) throws(RigError) {
    for port in ports {
      var options = NodeProcess.Options(port: port)
      options.peerPorts = [receiverPort]
      options.ptime = "10"
      // Gossip tells the talkers of each other: they are not to let each other in.
      options.policy = "ask"
      let name = "T\(nodes.count + 1)"
      nodes.append(
        try NodeProcess(
          name, on: server, client: "\(receiverName)-\(name)", options: options, in: directory))
    }
    for node in nodes.suffix(ports.count) {
      try node.invite(receiverName, within: 20)
      try mouth.waitForPort(node.port("mic"), within: 20)
      try mouth.connect("mouth-\(receiverName):out_0", to: node.port("mic"))
    }
  }

  /// Ends all talkers and their server.
  func stop() {
    mouth.stop()
    for node in nodes { node.process.send(signal: 15) }
    for node in nodes { node.process.terminate() }
    if !isShared { server.stop() }
  }
}
