import Remote
import StatusSchema
import TestRig

/// Three stations of a group that find each other by DNS-SD over the emulated link, and say nothing:
/// their talk keys are off.
struct SilentGroup {
  private static let count = 3

  private let link: LinkProcess
  private let servers: [JackServer]
  private let nodes: [NodeProcess]

  /// Starts link, servers and nodes and waits until the nodes are connected; needs root.
  ///
  /// - Throws: `RigError`.
  init(profile: String, periodFrames: Int, in directory: TemporaryDirectory) throws(RigError) {
    let link = try LinkProcess(nodeCount: Self.count, [], in: directory)
    var (servers, nodes): ([JackServer], [NodeProcess]) = ([], [])
    for (index, name) in ["M", "N", "O"].enumerated() {
      var options = NodeProcess.Options(port: 5004)
      options.address = "[::]"
      options.namespace = link.namespace(index)
      options.policy = "group-only"
      options.discovers = true
      options.arguments = ["--profile", profile]
      servers.append(try JackServer("comlink-\(name)", periodFrames: periodFrames, in: directory))
      // JACK names a client's socket by the client alone.
      nodes.append(
        try NodeProcess(
          name, on: servers[index], client: "comlink-\(name)", options: options, in: directory))
    }
    (self.link, self.servers, self.nodes) = (link, servers, nodes)
    try join()
  }

  /// The one that is measured.
  var node: NodeProcess { nodes[0] }

  private func join() throws(RigError) {
    for node in nodes { try node.waitUntilReady(within: 20) }
    let name = "crew-\(UInt32.random(in: 0...UInt32.max))"
    guard case .invitation(let text) = try node.ask(.groupNew(name: name)) else {
      throw .status(reason: "no invitation to a group")
    }
    for node in nodes.dropFirst() { _ = try node.ask(.groupJoin(invitation: text)) }
    for node in nodes {
      _ = try node.ask(.talk(isOn: false))
      try node.waitUntilConnected(peers: Self.count - 1, within: 30)
    }
  }

  /// Ends everything.
  func stop() {
    for node in nodes { node.process.terminate() }
    for server in servers { server.stop() }
    _ = link.end()
  }
}
