import StatusSchema
import TestKit
import TestRig

/// Three stations talk for long over a bad network with clocks that differ,
/// and every so often something happens to one.
///
/// Audio uptime is the share of JACK cycles in which the others were heard, of all six directions, from the time on
/// that a fault is to be over (``Fault/recoverySeconds`` after its end) until the next. One that takes longer is a
/// failure of its own.
struct SoakMeasurement {
  /// What one fault, and the time after it, showed.
  private struct Round {
    var fault: Fault
    var recoverySeconds: Double
    /// All ears' cycles, once for each voice to be heard, and those in which it was.
    var cycles: Int
    var audible: Int
    /// Of all stations' nodes, in their order.
    var readings: [SoakReading]
  }

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
    var failure: RigError?
    do throws(RigError) {
      while Double(monotonicNanoseconds() - start) / 60e9 < minutes {
        // Each as often as any other, in an order of chance.
        if coming.isEmpty {
          coming = Fault.allCases.filter(\.isPermitted).shuffled(using: &random)
        }
        let fault = coming.removeLast()
        let index = Int.random(in: fault.endsNode ? 1...2 : 0...2, using: &random)
        let round = try round(fault, at: index, of: deployment)
        rounds.append(round)
        show(round, at: index, minute: Double(monotonicNanoseconds() - start) / 60e9)
      }
    } catch {
      // What was measured until then is not lost with it.
      failure = error
    }
    report(rounds)
    bench.figures.add("soak.replacedEars", Double(deployment.replacedEars), "count")
    if let failure { throw failure }
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
    var readings: [SoakReading] = []
    for site in deployment.sites { readings.append(try SoakReading(of: site.node)) }
    pauseUntil(due)
    for site in deployment.sites { try site.node.process.checkRunning() }
    let heard = zip(deployment.sites, before).map { $0.audibility.since($1) }
    let cycles = heard.reduce(0) { $0 + $1.cycles * $1.audible.count }
    let audible = heard.reduce(0) { $0 + $1.audible.reduce(0, +) }
    for (index, site) in deployment.sites.enumerated() {
      readings[index] = try SoakReading(of: site.node, since: readings[index])
    }
    return Round(
      fault: fault, recoverySeconds: seconds, cycles: cycles, audible: audible, readings: readings)
  }

  private func pauseUntil(_ nanoseconds: Int64) {
    pause(seconds: max(0, Double(nanoseconds - monotonicNanoseconds()) / 1e9))
  }

  /// A line a fault, so that an hour can be watched.
  private func show(_ round: Round, at index: Int, minute: Double) {
    Console.line(
      "minute \(Figures.fixed(minute, 1)): \(round.fault.rawValue) of \("ABC".dropFirst(index).prefix(1)), "
        + "whole after \(Figures.fixed(round.recoverySeconds, 1)) s, "
        + "then heard \(Figures.fixed(uptimePercent([round]), 2)) %; "
        + round.readings.map(\.words).joined(separator: "; "))
  }

  private func uptimePercent(_ rounds: [Round]) -> Double {
    let cycles = rounds.reduce(0) { $0 + $1.cycles }
    return cycles == 0 ? .nan : Double(rounds.reduce(0) { $0 + $1.audible }) * 100 / Double(cycles)
  }

  private func report(_ rounds: [Round]) {
    var rows: [[String]] = [["fault", "count", "whole: median s", "worst s", "limit s"]]
    for fault in Fault.allCases {
      let times = Distribution(rounds.filter { $0.fault == fault }.map(\.recoverySeconds))
      rows.append(row(fault, times))
      judge(fault, times)
    }
    let uptime = uptimePercent(rounds)
    bench.figures.add("soak.uptime", uptime, "%")
    bench.doubts.check(
      "audio uptime outside faults is below \(Self.neededUptimePercent) %",
      !(uptime >= Self.neededUptimePercent))
    SoakGrowth(bench: bench).judge(rounds.map(\.readings))
    show(rows)
  }

  /// The look itself takes a second one, and a moment between them.
  private func limitSeconds(_ fault: Fault) -> Double { fault.recoverySeconds + 0.5 }

  private func row(_ fault: Fault, _ times: Distribution) -> [String] {
    [
      fault.rawValue, "\(times.values.count)", Figures.fixed(times.median, 2),
      Figures.fixed(times.values.last ?? .nan, 2), Figures.fixed(limitSeconds(fault), 1),
    ]
  }

  private func judge(_ fault: Fault, _ times: Distribution) {
    let name = "soak.\(fault.rawValue)"
    bench.figures.add("\(name).count", Double(times.values.count), "count")
    guard let worst = times.values.last else {
      let reason = fault.isPermitted ? "there was no time" : "this machine does not let us"
      bench.doubts.check("\(fault.rawValue): never happened, as \(reason)", true)
      return
    }
    bench.figures.add("\(name).wholeMedian", times.median, "s")
    bench.figures.add("\(name).wholeWorst", worst, "s")
    let limit = limitSeconds(fault)
    bench.doubts.check("\(fault.rawValue): whole after more than \(limit) s", worst > limit)
  }

  /// The first column is of words, the others of figures.
  private func show(_ rows: [[String]]) {
    let widths = (0..<(rows.first?.count ?? 0)).map { column in
      rows.map { $0[column].count }.max() ?? 0
    }
    Console.line("")
    for row in rows {
      let cells = zip(row, widths).enumerated().map { column, cell in
        let blanks = String(repeating: " ", count: cell.1 - cell.0.count)
        return column == 0 ? cell.0 + blanks : blanks + cell.0
      }
      Console.line(cells.joined(separator: "  "))
    }
  }
}
