import StatusSchema
import TestRig

/// What encryption and membership cost: two nodes with eight talkers each at the same time, one in clear, one protected.
///
/// Side by side, as by turns single rounds differed by a quarter where others used the machine: now that meets both. On the same two
/// servers, one for the nodes and one for all talkers, as how beats stand to each other decides how often a node wakes up.
struct MeshCost {
  private static let talkers = 8
  private static let seconds = 20.0

  let bench: Bench
  let rounds: Int

  /// A node, and those whom it hears.
  private struct Side {
    /// Both sides' talkers have the same names.
    let directory: TemporaryDirectory
    let receiver: NodeProcess
    let talkers: TalkerGroup

    func stop() {
      talkers.stop()
      receiver.process.terminate()
    }
  }

  /// What both sides share.
  private struct Stage {
    let receivers: JackServer
    let talkers: JackServer
    /// Speaks to both receivers' microphones.
    let mouth: Probe

    func stop() {
      mouth.stop()
      receivers.stop()
      talkers.stop()
    }
  }

  func run() throws(RigError) {
    Console.line(
      "\nCPU of two nodes with \(Self.talkers) talkers each, one in clear, one protected:")
    var (clear, protected) = ([Double](), [Double]())
    // Who starts first differs from round to round, and each side does as often.
    for round in 0..<(rounds + rounds % 2) {
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
    let stage = try stage()
    defer { stage.stop() }
    let first = try side("R1", isClear: isClearFirst, stage)
    defer { first.stop() }
    let second = try side("R2", isClear: !isClearFirst, stage)
    defer { second.stop() }
    // Handshakes and what settles are no running cost.
    pause(seconds: 8)
    let before = [first, second].map { ProcessUsage(of: $0.receiver.process.identifier) }
    pause(seconds: Self.seconds)
    let after = [first, second].map { ProcessUsage(of: $0.receiver.process.identifier) }
    guard let before0 = before[0], let before1 = before[1], let after0 = after[0],
      let after1 = after[1]
    else { throw .status(reason: "no CPU figures of the receivers") }
    return (after0.cpuPercent(since: before0), after1.cpuPercent(since: before1))
  }

  private func stage() throws(RigError) -> Stage {
    let receivers = try JackServer(
      "comlink-cost", periodFrames: bench.options.givenPeriod ?? 256, in: bench.directory)
    do {
      let mouth = try Probe(
        server: receivers.name, name: "mouth", inputs: 0, outputs: 1, recordSeconds: 1)
      try mouth.setSource(try Speech.sentences(), loops: true)
      try mouth.start()
      let talkers = try TalkerGroup.server(maximum: 2 * Self.talkers, in: bench.directory)
      return Stage(receivers: receivers, talkers: talkers, mouth: mouth)
    } catch {
      receivers.stop()
      throw error
    }
  }

  private func side(_ name: String, isClear: Bool, _ stage: Stage) throws(RigError) -> Side {
    let directory = try TemporaryDirectory(prefix: "comlink-cost")
    let port = try LoopbackPorts.free(1)[0]
    var options = NodeProcess.Options(port: port)
    options.isClear = isClear
    let receiver = try NodeProcess(
      name, on: stage.receivers, client: name, options: options, in: directory)
    do {
      let talkers = try TalkerGroup(
        to: receiver, at: port, maximum: Self.talkers, isClear: isClear, on: stage.talkers,
        in: directory)
      try talkers.grow(to: Self.talkers)
      try receiver.waitUntilConnected(peers: Self.talkers, within: 30)
      try stage.mouth.waitForPort(receiver.port("mic"), within: 10)
      try stage.mouth.connect("mouth:out_0", to: receiver.port("mic"))
      return Side(directory: directory, receiver: receiver, talkers: talkers)
    } catch {
      receiver.process.terminate()
      throw error
    }
  }
}
