import StatusSchema
import TestRig

/// What encryption and membership cost: a node with eight talkers, in clear and protected by turns.
struct MeshCost {
  private static let talkers = 8
  private static let seconds = 6.0

  let bench: Bench
  let rounds: Int

  func run() throws(RigError) {
    Console.line("\nCPU of a node with \(Self.talkers) talkers, in clear and protected by turns:")
    var (clear, protected) = ([Double](), [Double]())
    for _ in 0..<rounds {
      clear.append(try percent(isClear: true))
      protected.append(try percent(isClear: false))
    }
    let ratios = Distribution(zip(clear, protected).map { $1 / $0 })
    bench.figures.add("mesh.cost.clear", Distribution(clear).median, "%")
    bench.figures.add("mesh.cost.protected", Distribution(protected).median, "%")
    // Single rounds differ by a quarter where others use the machine.
    bench.judge("mesh.cost.ratio.median", ratios.median, "times", atMost: 1.1)
    bench.figures.add("mesh.cost.ratio.least", ratios.minimum, "times")
    bench.figures.add("mesh.cost.ratio.worst", ratios.values.last ?? .nan, "times")
  }

  private func percent(isClear: Bool) throws(RigError) -> Double {
    let port = try LoopbackPorts.free(1)[0]
    var options = NodeProcess.Options(port: port)
    options.isClear = isClear
    let receiver = try Station(
      "R", periodFrames: bench.options.givenPeriod ?? 256, options: options, recordSeconds: 1,
      in: bench.directory)
    defer { receiver.stop() }
    let talkers = try TalkerGroup(
      to: receiver.node, at: port, maximum: Self.talkers, isClear: isClear, in: bench.directory)
    defer { talkers.stop() }
    try talkers.grow(to: Self.talkers)
    try receiver.node.waitUntilConnected(peers: Self.talkers, within: 30)
    try receiver.prepareToSay(try Speech.sentences(), loops: true)
    try receiver.mouth.start()
    // Handshakes and what settles are no running cost.
    pause(seconds: 8)
    let before = ProcessUsage(of: receiver.node.process.identifier)
    pause(seconds: Self.seconds)
    guard let before, let after = ProcessUsage(of: receiver.node.process.identifier) else {
      throw .status(reason: "no CPU figures of the receiver")
    }
    return after.cpuPercent(since: before)
  }
}
