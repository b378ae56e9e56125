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

  static let settings = [
    Setting(ptime: "2.5", application: "lowdelay", limitMilliseconds: 6.5),
    Setting(ptime: "5", application: "lowdelay", limitMilliseconds: 9.5),
    Setting(ptime: "10", application: "lowdelay", limitMilliseconds: 14.5),
    Setting(ptime: "10", application: "voip", limitMilliseconds: 18),
  ]

  let bench: Bench
  let seconds: Double

  func run() throws(RigError) {
    var rows = [
      ["setting", "median", "limit", "floor F+L", "surplus", "playout", "wake-ups", "rest"]
    ]
    for setting in Self.settings { rows.append(try measure(setting)) }
    Console.line("\nWhere the median goes, in ms (F: codec frame, L: its look-ahead):")
    Console.table(rows)
    Console.line(
      """
        playout: what packets wait for, by B's status; wake-ups: callback to loop, median, both ends;
        rest: rounding to periods of \(Figures.fixed(bench.options.periodMilliseconds, 2)) ms, the \
      phase of the two clocks, and scheduling; less where part of F is already in the first period.
      """)
  }

  private func measure(_ setting: Setting) throws(RigError) -> [String] {
    Console.line("\(setting.name):")
    let speech = Speech.lasting(seconds, try Speech.sentences())
    let (a, b) = try bench.pair(recordSeconds: seconds + 5) {
      $0.ptime = setting.ptime
      $0.application = setting.application
    }
    try a.prepareToSay(speech)
    try b.listen(to: ["peer_A"])
    try b.ear.start()
    try a.mouth.start()
    bench.wait("speech", seconds: seconds + 0.5)
    let statuses = (try a.node.status(), try b.node.status())
    a.mouth.stop()
    b.ear.stop()
    let hearing = Hearing(
      of: speech, from: a.mouth, at: b.ear, input: 0,
      threshold: setting.application == "voip"
        ? Hearing.speechModeThreshold : Hearing.threshold)
    let xruns = (a.mouth.xruns, b.ear.xruns)
    a.stop()
    b.stop()
    add(setting, hearing, xruns)
    return row(setting, hearing, statuses.0, statuses.1)
  }

  private func add(_ setting: Setting, _ hearing: Hearing, _ xruns: (Int, Int)) {
    let name = "latency.\(setting.name)"
    bench.figures.add("\(name).portToPort", hearing.steadyLatency, "ms")
    bench.figures.add("\(name).portToPort.allMedian", hearing.foundLatency.median, "ms")
    bench.figures.add("\(name).limit", setting.limitMilliseconds, "ms")
    bench.figures.add("\(name).understood", hearing.understoodShare * 100, "%")
    bench.doubts.check(name, understoodShare: hearing.understoodShare)
    bench.figures.add("\(name).xruns.sender", Double(xruns.0), "count")
    bench.figures.add("\(name).xruns.receiver", Double(xruns.1), "count")
  }

  private func row(
    _ setting: Setting, _ hearing: Hearing, _ sender: Status, _ receiver: Status
  ) -> [String] {
    let median = hearing.steadyLatency.median
    let floor = setting.frameMilliseconds + setting.lookaheadMilliseconds
    let playout = receiver.peers.first?.playoutDelayMilliseconds ?? .nan
    let wakes =
      (sender.loop.wakeLatencyP50Microseconds + receiver.loop.wakeLatencyP50Microseconds) / 1000
    let name = "latency.\(setting.name)"
    bench.figures.add("\(name).floor", floor, "ms")
    bench.figures.add("\(name).surplus", median - floor, "ms")
    bench.figures.add("\(name).surplus.playoutDelay", playout, "ms")
    bench.figures.add("\(name).surplus.wakeUps", wakes, "ms")
    bench.figures.add("\(name).surplus.rest", median - floor - playout - wakes, "ms")
    let columns = [
      median, setting.limitMilliseconds, floor, median - floor, playout, wakes,
      median - floor - playout - wakes,
    ]
    return [setting.name] + columns.map { Figures.fixed($0, 2) }
  }
}
