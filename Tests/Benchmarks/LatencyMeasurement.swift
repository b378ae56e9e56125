import Remote
import StatusSchema
import TestRig

/// Speech from one node to another at each packet time, and where its milliseconds go.
struct LatencyMeasurement {
  /// A packet time and an application, with the median that is to be reached.
  struct Setting {
    var ptime: String
    var application: String
    var limitMilliseconds: Double

    var name: String { "ptime\(ptime).\(application)" }
    var frameMilliseconds: Double { Double(ptime) ?? .nan }
    var lookaheadMilliseconds: Double { Bench.lookaheadMilliseconds[application] ?? .nan }
  }

  /// The period of the limits, in frames; with another one nothing is judged.
  static let limitPeriod = 64
  static let settings = [
    Setting(ptime: "2.5", application: "lowdelay", limitMilliseconds: 6.5),
    Setting(ptime: "5", application: "lowdelay", limitMilliseconds: 9.5),
    Setting(ptime: "10", application: "lowdelay", limitMilliseconds: 14.5),
    Setting(ptime: "10", application: "voip", limitMilliseconds: 18),
  ]

  let bench: Bench
  let seconds: Double
  let rounds: Int

  func run() throws(RigError) {
    var rows = [
      ["setting", "median", "limit", "floor F+L", "surplus", "playout", "wake-ups", "unexplained"]
    ]
    let bare = try BareClient(of: bench)
    for setting in Self.settings { rows.append(try measure(setting, bare)) }
    bare.stop()
    Console.line("\nWhere the median goes, in ms (F: codec frame, L: its look-ahead):")
    Console.table(rows)
    Console.line(
      """
        median: of all rounds' segments; each round has its own pair of JACK servers, whose beats stand
        to each other by chance: that alone moves a round by up to a period;
        playout: what packets wait for, by B's status; wake-ups: callback to loop, median, both ends;
        unexplained: what is left, not measured by itself: rounding to periods of \
      \(Figures.fixed(bench.options.periodMilliseconds, 2)) ms, the phase of the two clocks, and scheduling; \
      less where part of F is already in the first period.
      """)
  }

  /// One pair of servers and what was heard over it.
  private struct Round {
    var hearing: Hearing
    var sender: Status
    var receiver: Status
    var senderXruns: Int
    var receiverXruns: Int
    /// Of a bare client meanwhile, which are the machine's.
    var bareXruns: Int

    /// Milliseconds from callbacks to the loops of both ends.
    var wakeMilliseconds: Double {
      (sender.loop.wakeLatencyP50Microseconds + receiver.loop.wakeLatencyP50Microseconds) / 1000
    }
  }

  private func measure(_ setting: Setting, _ bare: BareClient) throws(RigError) -> [String] {
    Console.line("\n\(setting.name):")
    var done: [Round] = []
    for number in 1...rounds { done.append(try round(setting, number, bare)) }
    let hearing = Hearing(pooling: done.map(\.hearing))
    add(setting, hearing, done)
    return row(setting, hearing, done)
  }

  private func round(
    _ setting: Setting, _ number: Int, _ bare: BareClient
  ) throws(RigError) -> Round {
    let speech = Speech.lasting(seconds, try Speech.sentences())
    let (a, b) = try bench.pair(recordSeconds: seconds + 5) {
      $0.ptime = setting.ptime
      $0.application = setting.application
    }
    defer {
      a.stop()
      b.stop()
    }
    try a.prepareToSay(speech)
    try b.listen(to: ["peer_A"])
    try b.ear.start()
    try a.mouth.start()
    let bareXruns = bare.xruns
    bench.wait("round \(number) of \(rounds)", seconds: seconds + 0.5, each: seconds + 0.5)
    let bareXrunsAfter = bare.xruns
    let statuses = (try a.node.status(), try b.node.status())
    a.mouth.stop()
    b.ear.stop()
    let hearing = Hearing(
      of: speech, from: a.mouth, at: b.ear, input: 0,
      threshold: setting.application == "voip"
        ? Hearing.speechModeThreshold : Hearing.threshold)
    return Round(
      hearing: hearing, sender: statuses.0, receiver: statuses.1,
      senderXruns: a.mouth.xruns, receiverXruns: b.ear.xruns,
      bareXruns: bareXrunsAfter - bareXruns)
  }

  private func add(_ setting: Setting, _ hearing: Hearing, _ done: [Round]) {
    let name = "latency.\(setting.name)"
    let medians = Distribution(done.map(\.hearing.steadyLatency.median))
    bench.figures.add("\(name).portToPort", hearing.steadyLatency, "ms")
    bench.figures.add("\(name).portToPort.lowestRound", medians.minimum, "ms")
    bench.figures.add("\(name).portToPort.highestRound", medians.quantile(1), "ms")
    bench.figures.add("\(name).portToPort.allMedian", hearing.foundLatency.median, "ms")
    if bench.options.period == Self.limitPeriod {
      bench.limit(
        "\(name).portToPort.median", hearing.steadyLatency.median, "ms",
        atMost: setting.limitMilliseconds)
    }
    bench.figures.add("\(name).understood", hearing.understoodShare * 100, "%")
    bench.doubts.check(name, understoodShare: hearing.understoodShare)
    let xruns = [
      ("sender", \Round.senderXruns), ("receiver", \.receiverXruns), ("bare", \.bareXruns),
    ]
    for (whose, count) in xruns {
      bench.figures.add(
        "\(name).xruns.\(whose)", Double(done.reduce(0) { $0 + $1[keyPath: count] }), "count")
    }
  }

  private func row(_ setting: Setting, _ hearing: Hearing, _ done: [Round]) -> [String] {
    let median = hearing.steadyLatency.median
    let floor = setting.frameMilliseconds + setting.lookaheadMilliseconds
    let playouts = done.compactMap(\.receiver.peers.first?.playoutDelayMilliseconds)
    let playout = Distribution(playouts).median
    let wakes = Distribution(done.map(\.wakeMilliseconds)).median
    let name = "latency.\(setting.name)"
    bench.figures.add("\(name).floor", floor, "ms")
    bench.figures.add("\(name).surplus", median - floor, "ms")
    bench.figures.add("\(name).surplus.playoutDelay", playout, "ms")
    bench.figures.add("\(name).surplus.wakeUps", wakes, "ms")
    bench.figures.add("\(name).surplus.unexplained", median - floor - playout - wakes, "ms")
    let columns = [
      median, setting.limitMilliseconds, floor, median - floor, playout, wakes,
      median - floor - playout - wakes,
    ]
    return [setting.name] + columns.map { Figures.fixed($0, 2) }
  }
}
