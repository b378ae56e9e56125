import StatusSchema
import TestRig

/// What encryption and membership cost: two nodes with eight talkers each at the same time, one in clear, one protected.
///
/// Side by side, as by turns single rounds differed by a quarter where others used the machine: now that meets both.
struct MeshCost {
  private static let talkers = 8
  private static let seconds = 20.0

  let bench: Bench
  let rounds: Int

  /// A node, and those whom it hears.
  private struct Side {
    /// Both sides' talkers have the same names.
    let directory: TemporaryDirectory
    let receiver: Station
    let talkers: TalkerGroup

    func stop() {
      talkers.stop()
      receiver.stop()
    }
  }

  func run() throws(RigError) {
    Console.line(
      "\nCPU of two nodes with \(Self.talkers) talkers each, one in clear, one protected:")
    var (clear, protected) = ([Double](), [Double]())
    for round in 0..<rounds {
      // Who starts first differs from round to round.
      let (first, second) = try percents(isClearFirst: round % 2 == 0)
      clear.append(round % 2 == 0 ? first : second)
      protected.append(round % 2 == 0 ? second : first)
    }
    let ratios = Distribution(zip(clear, protected).map { $1 / $0 })
    bench.figures.add("mesh.cost.clear", Distribution(clear).mean, "%")
    bench.figures.add("mesh.cost.protected", Distribution(protected).mean, "%")
    bench.judge(
      "mesh.cost.ratio", Distribution(protected).mean / Distribution(clear).mean, "times",
      atMost: 1.1)
    bench.figures.add("mesh.cost.ratio.least", ratios.minimum, "times")
    bench.figures.add("mesh.cost.ratio.worst", ratios.values.last ?? .nan, "times")
  }

  private func percents(isClearFirst: Bool) throws(RigError) -> (Double, Double) {
    let first = try side("R1", isClear: isClearFirst)
    defer { first.stop() }
    let second = try side("R2", isClear: !isClearFirst)
    defer { second.stop() }
    // Handshakes and what settles are no running cost.
    pause(seconds: 8)
    let before = [first, second].map { ProcessUsage(of: $0.receiver.node.process.identifier) }
    pause(seconds: Self.seconds)
    let after = [first, second].map { ProcessUsage(of: $0.receiver.node.process.identifier) }
    guard let before0 = before[0], let before1 = before[1], let after0 = after[0],
      let after1 = after[1]
    else { throw .status(reason: "no CPU figures of the receivers") }
    return (after0.cpuPercent(since: before0), after1.cpuPercent(since: before1))
  }

  private func side(_ name: String, isClear: Bool) throws(RigError) -> Side {
    let directory = try TemporaryDirectory(prefix: "comlink-cost")
    let port = try LoopbackPorts.free(1)[0]
    var options = NodeProcess.Options(port: port)
    options.isClear = isClear
    let receiver = try Station(
      name, periodFrames: bench.options.givenPeriod ?? 256, options: options, recordSeconds: 1,
      in: directory)
    do {
      let talkers = try TalkerGroup(
        to: receiver.node, at: port, maximum: Self.talkers, isClear: isClear, in: directory)
      try talkers.grow(to: Self.talkers)
      try receiver.node.waitUntilConnected(peers: Self.talkers, within: 30)
      try receiver.prepareToSay(try Speech.sentences(), loops: true)
      try receiver.mouth.start()
      return Side(directory: directory, receiver: receiver, talkers: talkers)
    } catch {
      receiver.stop()
      throw error
    }
  }
}
