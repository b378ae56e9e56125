import StatusSchema
import TestRig

/// A node that hears four talkers, through a JACK client of its own and through the plugin in jackd, by turns; then
/// speech between two nodes of each kind.
struct PluginMeasurement {
  private static let talkers = 4
  /// Twice what the machine has, at ordinary priority.
  private static let busyProcesses = 4

  /// What one turn found.
  private struct Turn {
    var callbackMicroseconds = 0.0
    var switchesPerSecond = 0.0
    var cpuPercent = 0.0
    var wakeMicroseconds = 0.0
    var xruns = 0
    var missedPeriods = 0
    var xrunsUnderLoad = 0
    var missedUnderLoad = 0
    var latencyMilliseconds = 0.0
  }

  let bench: Bench
  let seconds: Double
  let rounds: Int

  func run() throws(RigError) {
    var turns: [Bool: [Turn]] = [:]
    for round in 1...rounds {
      for isViaPlugin in [false, true] {
        Console.line("turn \(round) of \(rounds), \(Self.name(isViaPlugin)):")
        turns[isViaPlugin, default: []].append(try turn(isViaPlugin))
      }
    }
    for isViaPlugin in [false, true] { add(turns[isViaPlugin] ?? [], isViaPlugin) }
  }

  private static func name(_ isViaPlugin: Bool) -> String { isViaPlugin ? "plugin" : "client" }

  private func turn(_ isViaPlugin: Bool) throws(RigError) -> Turn {
    var turn = Turn()
    try listen(isViaPlugin, &turn)
    turn.latencyMilliseconds = try latency(isViaPlugin)
    return turn
  }

  private func listen(_ isViaPlugin: Bool, _ turn: inout Turn) throws(RigError) {
    let port = try LoopbackPorts.free(1)[0]
    let receiver = try Station(
      "R", periodFrames: bench.options.period, options: NodeProcess.Options(port: port),
      recordSeconds: 1, isViaPlugin: isViaPlugin, in: bench.directory)
    defer { receiver.stop() }
    let talkers = try TalkerGroup(
      to: receiver.node, at: port, maximum: Self.talkers, in: bench.directory)
    defer { talkers.stop() }
    try talkers.grow(to: Self.talkers)
    try receiver.node.waitUntilConnected(peers: Self.talkers, within: 20)
    pause(seconds: 1)
    let before = try Moment(of: receiver)
    bench.wait("four talkers", seconds: seconds)
    let after = try Moment(of: receiver)
    turn.callbackMicroseconds = after.status.audio.callbackMeanMicroseconds
    turn.wakeMicroseconds = after.status.loop.wakeLatencyP50Microseconds
    turn.switchesPerSecond = after.switchesPerSecond(since: before)
    turn.cpuPercent = after.cpuPercent(since: before)
    turn.xruns = after.status.audio.xruns - before.status.audio.xruns
    turn.missedPeriods = after.status.audio.missedPeriods - before.status.audio.missedPeriods
    var busy: [ChildProcess] = []
    for _ in 0..<Self.busyProcesses {
      busy.append(
        try ChildProcess(
          "sh", ["-c", "while :; do :; done"], outputPath: bench.directory.file("busy.log")))
    }
    defer { for process in busy { process.terminate() } }
    bench.wait("four talkers, busy processors", seconds: seconds)
    let loaded = try receiver.node.status().audio
    turn.xrunsUnderLoad = loaded.xruns - after.status.audio.xruns
    turn.missedUnderLoad = loaded.missedPeriods - after.status.audio.missedPeriods
  }

  /// Server and node together at one moment: what the one saves may be the other's to do.
  private struct Moment {
    let status: Status
    private let usages: [ProcessUsage]

    init(of station: Station) throws(RigError) {
      status = try station.node.status()
      usages = [station.server.process, station.node.process].compactMap {
        ProcessUsage(of: $0.identifier)
      }
      guard usages.count == 2 else { throw .status(reason: "no figures of server and node") }
    }

    func switchesPerSecond(since earlier: Moment) -> Double {
      zip(usages, earlier.usages).reduce(0) { $0 + $1.0.contextSwitchesPerSecond(since: $1.1) }
    }

    func cpuPercent(since earlier: Moment) -> Double {
      zip(usages, earlier.usages).reduce(0) { $0 + $1.0.cpuPercent(since: $1.1) }
    }
  }

  /// Median from port to port, packets of 2.5 ms, both nodes of the kind.
  private func latency(_ isViaPlugin: Bool) throws(RigError) -> Double {
    let speech = Speech.lasting(seconds, try Speech.sentences())
    let (a, b) = try bench.pair(recordSeconds: seconds + 5, isViaPlugin: isViaPlugin) {
      $0.ptime = "2.5"
    }
    defer {
      a.stop()
      b.stop()
    }
    try a.prepareToSay(speech)
    try b.listen(to: ["peer_A"])
    try b.ear.start()
    try a.mouth.start()
    bench.wait("speech", seconds: seconds + 0.5, each: seconds + 0.5)
    a.mouth.stop()
    b.ear.stop()
    let hearing = Hearing(of: speech, from: a.mouth, at: b.ear, input: 0)
    return hearing.steadyLatency.median
  }

  private func add(_ turns: [Turn], _ isViaPlugin: Bool) {
    let name = "plugin.\(Self.name(isViaPlugin))"
    func median(_ value: (Turn) -> Double) -> Double { Distribution(turns.map(value)).median }
    func sum(_ value: (Turn) -> Int) -> Double { Double(turns.reduce(0) { $0 + value($1) }) }
    let figures = bench.figures
    figures.add("\(name).callback.mean", median(\.callbackMicroseconds), "us")
    figures.add("\(name).contextSwitches", median(\.switchesPerSecond), "1/s")
    figures.add("\(name).cpu", median(\.cpuPercent), "%")
    figures.add("\(name).wakeLatency.p50", median(\.wakeMicroseconds), "us")
    figures.add("\(name).portToPort", median(\.latencyMilliseconds), "ms")
    figures.add("\(name).xruns", sum(\.xruns), "count")
    figures.add("\(name).missedPeriods", sum(\.missedPeriods), "count")
    figures.add("\(name).busy.xruns", sum(\.xrunsUnderLoad), "count")
    figures.add("\(name).busy.missedPeriods", sum(\.missedUnderLoad), "count")
  }
}
