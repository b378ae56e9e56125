import TestRig

/// Two comlinkd with ptime 10.
struct ComlinkContestant: Contestant {
  static let name = "comlink"
  static let absence: String? = nil

  private let nodes: (NodeProcess, NodeProcess)

  init(
    at places: (ContestantEnd, ContestantEnd), probes: (Probe, Probe),
    in directory: TemporaryDirectory
  ) throws(RigError) {
    let ports = try LoopbackPorts.free(2)
    var options = (NodeProcess.Options(port: ports[0]), NodeProcess.Options(port: ports[1]))
    (options.0.address, options.1.address) = (places.0.address, places.1.address)
    (options.0.namespace, options.1.namespace) = (places.0.namespace, places.1.namespace)
    (options.0.ptime, options.1.ptime) = ("10", "10")
    options.0.arguments = ["--peer", "\(places.1.address):\(ports[1])"]
    let a = try NodeProcess("A", on: places.0.server, options: options.0, in: directory)
    let b = try NodeProcess("B", on: places.1.server, options: options.1, in: directory)
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
