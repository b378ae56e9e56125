import TestRig

/// Two daemons on JACK servers of their own that have found each other.
///
/// Periods of 256: these tests judge behaviour, not latency, on machines that are busy.
struct NodePair {
  let directory: TemporaryDirectory
  let a: Station
  let b: Station

  /// Starts both, on a loopback address; `A` names `B` and not the other way round.
  ///
  /// - Parameter driftPPMOfA: how much faster the clock of A's server runs.
  init(
    recordSeconds: Double = 30, sampleRateOfA: Int = 48_000, driftPPMOfA: Double = 0,
    environmentOfA: [String: String] = [:], argumentsOfA: [String] = [],
    argumentsOfB: [String] = [],
    address: String = "127.0.0.1",
    playoutDelay: String? = nil, in directory: TemporaryDirectory
  ) throws(RigError) {
    let ports = try LoopbackPorts.free(2)
    var optionsA = NodeProcess.Options(port: ports[0])
    optionsA.arguments = ["--peer", "\(address):\(ports[1])"] + argumentsOfA
    optionsA.environment = environmentOfA
    var optionsB = NodeProcess.Options(port: ports[1])
    optionsB.arguments = argumentsOfB
    (optionsA.address, optionsB.address) = (address, address)
    (optionsA.playoutDelay, optionsB.playoutDelay) = (playoutDelay, playoutDelay)
    self.directory = directory
    a = try Station(
      "A", sampleRate: sampleRateOfA, periodFrames: 256, options: optionsA,
      recordSeconds: recordSeconds, driftPPM: driftPPMOfA, in: directory)
    b = try Station(
      "B", periodFrames: 256, options: optionsB, recordSeconds: recordSeconds, in: directory)
    try a.node.waitUntilConnected(peers: 1, within: 30)
    try b.node.waitUntilConnected(peers: 1, within: 30)
  }
}
