import StatusSchema
import TestKit
import TestRig

/// Three stations talk for long over a bad network with clocks that differ, and every so often something happens to one.
///
/// Audio uptime is the share of JACK cycles in which the others were heard, of all six directions, from the time on
/// that a fault is to be over (``Fault/recoverySeconds`` after its end) until the next. One that takes longer is a failure of
/// its own.
struct SoakMeasurement {
  /// What one fault, and the time after it, showed.
  private struct Round {
    var fault: Fault
    var recoverySeconds: Double
    /// All ears' cycles, once for each voice to be heard, and those in which it was.
    var cycles: Int
    var audible: Int
    var reading: Reading
  }

  /// The first station, which is not ended, at a moment.
  private struct Reading {
    var memoryMegabytes: Double
    var descriptors: Double
    /// Of its two peers the longer.
    var playoutDelay: Double
    /// Frames made up, periods without sound and splices of both peers, while nothing happened to anybody.
    var glitchesPerSecond: Double
  }

  /// A growth within these is what two equal thirds of a talk differ by anyway.
  private static let memoryAllowance = 1.0
  private static let descriptorAllowance = 2.0
  private static let delayAllowance = 10.0
  /// Each xrun of a server may be one, and these machines have some a second.
  private static let glitchAllowance = 3.0
  private static let neededUptimePercent = 99.9
  private static let patienceSeconds = 25.0
  private static let driftsPPM = [200.0, -100, 0]

  let bench: Bench
  let minutes: Double
  let faultSeconds: Double
  let linkOptions: [String]
  let seed: UInt64

  func run() throws(RigError) {
    let deployment = try Deployment(
      linkOptions: linkOptions, driftsPPM: Self.driftsPPM, in: bench.directory)
    defer { deployment.stop() }
    // What starts, fills and settles is no growth.
    bench.wait("settling", seconds: 10, each: 10)
    var random = SplitMix64(seed: seed)
    var rounds: [Round] = []
    var coming: [Fault] = []
    let start = monotonicNanoseconds()
    while Double(monotonicNanoseconds() - start) / 60e9 < minutes {
      // Each as often as any other, in an order of chance.
      if coming.isEmpty { coming = Fault.allCases.filter(\.isPermitted).shuffled(using: &random) }
      let fault = coming.removeLast()
      let index = Int.random(in: fault.endsNode ? 1...2 : 0...2, using: &random)
      let round = try round(fault, at: index, of: deployment)
      rounds.append(round)
      show(round, at: index, minute: Double(monotonicNanoseconds() - start) / 60e9)
    }
    report(rounds)
    bench.figures.add("soak.replacedEars", Double(deployment.replacedEars), "count")
  }

  /// A fault and the talk after it; ends when the next one is due.
  private func round(
    _ fault: Fault, at index: Int, of deployment: Deployment
  ) throws(RigError) -> Round {
    let due = monotonicNanoseconds() + Int64(faultSeconds * 1e9)
    var before = deployment.sites.map(\.audibility)
    let ears = deployment.replacedEars
    try fault.strike(index, of: deployment)
    let end = monotonicNanoseconds()
    let seconds = try deployment.secondsUntilWhole(within: Self.patienceSeconds)
    // Of what nobody is to notice, its own time counts, too.
    if fault.recoverySeconds > 0 { pauseUntil(end + Int64(fault.recoverySeconds * 1e9)) }
    if fault.recoverySeconds > 0 || ears != deployment.replacedEars {
      before = deployment.sites.map(\.audibility)
    }
    let (calm, glitches) = (monotonicNanoseconds(), try glitches(deployment.sites[0].node))
    pauseUntil(due)
    for site in deployment.sites { try site.node.process.checkRunning() }
    let heard = zip(deployment.sites, before).map { $0.audibility.since($1) }
    let cycles = heard.reduce(0) { $0 + $1.cycles * $1.audible.count }
    let audible = heard.reduce(0) { $0 + $1.audible.reduce(0, +) }
    var reading = try read(deployment.sites[0].node)
    let more = try self.glitches(deployment.sites[0].node) - glitches
    let calmNanoseconds = max(monotonicNanoseconds() - calm, 1_000_000_000)
    reading.glitchesPerSecond = Double(more) * 1e9 / Double(calmNanoseconds)
    return Round(
      fault: fault, recoverySeconds: seconds, cycles: cycles, audible: audible, reading: reading)
  }

  private func glitches(_ node: NodeProcess) throws(RigError) -> Int {
    try node.status().peers.reduce(0) { $0 + $1.concealed + $1.underrun + $1.spliced }
  }

  private func pauseUntil(_ nanoseconds: Int64) {
    pause(seconds: max(0, Double(nanoseconds - monotonicNanoseconds()) / 1e9))
  }

  private func read(_ node: NodeProcess) throws(RigError) -> Reading {
    let identifier = node.process.identifier
    guard
      let memory = ProcessUsage.residentSetMegabytes(
        of: identifier, excluding: IdleMeasurement.jackMappings),
      let descriptors = ProcessUsage.descriptorCount(of: identifier)
    else { throw .status(reason: "no figures of \(node.name)") }
    let delays = try node.status().peers.map(\.playoutDelayMilliseconds)
    return Reading(
      memoryMegabytes: memory, descriptors: Double(descriptors), playoutDelay: delays.max() ?? 0,
      glitchesPerSecond: 0)
  }

  /// A line a fault, so that an hour can be watched.
  private func show(_ round: Round, at index: Int, minute: Double) {
    Console.line(
      "minute \(Figures.fixed(minute, 1)): \(round.fault.rawValue) of \("ABC".dropFirst(index).prefix(1)), "
        + "whole after \(Figures.fixed(round.recoverySeconds, 1)) s, "
        + "then heard \(Figures.fixed(uptimePercent([round]), 2)) %; A has "
        + "\(Figures.fixed(round.reading.memoryMegabytes, 2)) MB, "
        + "\(Int(round.reading.descriptors)) descriptors, "
        + "playout delay \(Figures.fixed(round.reading.playoutDelay, 1)) ms, "
        + "\(Figures.fixed(round.reading.glitchesPerSecond, 1)) glitches a second")
  }

  private func uptimePercent(_ rounds: [Round]) -> Double {
    let cycles = rounds.reduce(0) { $0 + $1.cycles }
    return cycles == 0 ? .nan : Double(rounds.reduce(0) { $0 + $1.audible }) * 100 / Double(cycles)
  }

  private func report(_ rounds: [Round]) {
    for fault in Fault.allCases {
      let times = rounds.filter { $0.fault == fault }.map(\.recoverySeconds)
      guard !times.isEmpty else {
        Console.line("soak.\(fault.rawValue): never happened, by want of time or of the right")
        continue
      }
      let all = Distribution(times)
      let name = "soak.\(fault.rawValue)"
      bench.figures.add("\(name).count", Double(times.count), "count")
      bench.figures.add("\(name).wholeMedian", all.median, "s")
      bench.figures.add("\(name).wholeWorst", all.values.last ?? .nan, "s")
      // The look itself takes a second one, and a moment between them.
      let limit = fault.recoverySeconds + 0.5
      bench.doubts.check(
        "\(fault.rawValue): whole after more than \(limit) s", (all.values.last ?? .nan) > limit)
    }
    let uptime = uptimePercent(rounds)
    bench.figures.add("soak.uptime", uptime, "%")
    bench.doubts.check(
      "audio uptime outside faults is below \(Self.neededUptimePercent) %",
      !(uptime >= Self.neededUptimePercent))
    judgeGrowth("memory", rounds, \.memoryMegabytes, "MB", Self.memoryAllowance)
    judgeGrowth("descriptors", rounds, \.descriptors, "count", Self.descriptorAllowance)
    judgeGrowth("playoutDelay", rounds, \.playoutDelay, "ms", Self.delayAllowance)
    judgeGrowth("glitches", rounds, \.glitchesPerSecond, "1/s", Self.glitchAllowance)
  }

  /// The last third against the first, by medians: a machine that stalls once is no growth.
  private func judgeGrowth(
    _ name: String, _ rounds: [Round], _ value: KeyPath<Reading, Double>, _ unit: String,
    _ allowance: Double
  ) {
    let values = rounds.map { $0.reading[keyPath: value] }
    let third = max(1, values.count / 3)
    let first = Distribution(Array(values.prefix(third))).median
    let last = Distribution(Array(values.suffix(third))).median
    bench.figures.add("soak.\(name).firstThird", first, unit)
    bench.figures.add("soak.\(name).lastThird", last, unit)
    bench.doubts.check("\(name) grew", last > first + allowance)
  }
}
