import TestRig

/// Two comlinkd with ptime 10.
struct ComlinkContestant: Contestant {
  static let name = "comlink"
  static let absence: String? = nil

  private let nodes: (NodeProcess, NodeProcess)

  init(
    on servers: (JackServer, JackServer), probes: (Probe, Probe), in directory: TemporaryDirectory
  ) throws(RigError) {
    let ports = try LoopbackPorts.free(2)
    var options = (NodeProcess.Options(port: ports[0]), NodeProcess.Options(port: ports[1]))
    options.0.peerPorts = [ports[1]]
    options.0.ptime = "10"
    options.1.ptime = "10"
    let a = try NodeProcess("A", on: servers.0, options: options.0, in: directory)
    let b = try NodeProcess("B", on: servers.1, options: options.1, in: directory)
    nodes = (a, b)
    try a.waitUntilConnected(peers: 1, within: 10)
    try b.waitUntilConnected(peers: 1, within: 10)
    try probes.0.waitForPort(voices.0, within: 10)
    try probes.1.waitForPort(voices.1, within: 10)
  }

  var measured: ChildProcess { nodes.0.process }
  var microphones: (String, String) { (nodes.0.port("mic"), nodes.1.port("mic")) }
  var voices: (String, String) { (nodes.0.port("peer_B"), nodes.1.port("peer_A")) }

  func stop() {
    nodes.0.process.terminate()
    nodes.1.process.terminate()
  }
}
