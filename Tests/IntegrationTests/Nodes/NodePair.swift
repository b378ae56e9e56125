import TestRig

/// Two daemons on JACK servers of their own that have found each other.
///
/// Periods of 256: these tests judge behaviour, not latency, on machines that are busy.
struct NodePair {
  let directory: TemporaryDirectory
  let a: Station
  let b: Station

  /// Starts both; `A` names `B` and not the other way round.
  init(
    recordSeconds: Double = 30, sampleRateOfA: Int = 48_000, environmentOfA: [String: String] = [:],
    in directory: TemporaryDirectory
  ) throws(RigError) {
    let ports = try LoopbackPorts.free(2)
    var optionsA = NodeProcess.Options(port: ports[0])
    optionsA.peerPorts = [ports[1]]
    optionsA.environment = environmentOfA
    self.directory = directory
    a = try Station(
      "A", sampleRate: sampleRateOfA, periodFrames: 256, options: optionsA,
      recordSeconds: recordSeconds, in: directory)
    b = try Station(
      "B", periodFrames: 256, options: NodeProcess.Options(port: ports[1]),
      recordSeconds: recordSeconds, in: directory)
    try a.node.waitUntilConnected(peers: 1, within: 30)
    try b.node.waitUntilConnected(peers: 1, within: 30)
  }
}
