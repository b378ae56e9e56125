import Remote
import StatusSchema
import TestRig

/// CPU, memory and losses of a receiver as the number of talkers doubles, and whose doing the losses are.
///
/// The node tells the cause of each period without sound (`audio.underruns` in STATUS.md). That its own account is
/// right is seen beside it: a canary thread of the media loop's priority, the time for which the loop could have run and
/// did not, and what the host took.
struct ScaleMeasurement {
  /// What is compared before and after.
  private struct Reading {
    var usage: ProcessUsage
    var status: Status
    var canaryLate: Int
    var stolenSeconds: Double

    func sum(_ counter: (PeerStatus) -> Int) -> Int { status.peers.reduce(0) { $0 + counter($1) } }
    func underruns(_ cause: String) -> Int { status.audio.underruns?[cause] ?? 0 }
    var loopHeldUpSeconds: Double {
      usage.threads.first { $0.name == "comlink-loop" }?.heldUpSeconds ?? .nan
    }
  }

  /// What the media loop gets, below JACK's.
  private static let canaryPriority = 50
  private static let causes = ["callbacks", "wakeUps", "work"]

  let bench: Bench
  let seconds: Double
  let maximum: Int

  func run() throws(RigError) {
    let port = try LoopbackPorts.free(1)[0]
    let receiver = try Station(
      "R", periodFrames: bench.options.period, options: NodeProcess.Options(port: port),
      recordSeconds: 1, in: bench.directory)
    let talkers = try TalkerGroup(
      to: receiver.node, at: port, maximum: maximum, in: bench.directory)
    let canary = try Canary(priority: Self.canaryPriority)
    var rows = [
      ["talkers", "CPU %", "PSS MB", "lost", "late", "concealed", "underrun"] + Self.causes
        + ["whole s", "xruns", "canary late", "worst ms", "held up ms", "stolen ms"]
    ]
    var count = 1
    while count <= maximum {
      try talkers.grow(to: count)
      try receiver.node.waitUntilConnected(peers: count, within: 30)
      pause(seconds: 2)
      rows.append(try measure(receiver, canary, count))
      count *= 2
    }
    talkers.stop()
    receiver.stop()
    Console.line()
    Console.table(rows)
  }

  private func measure(
    _ receiver: Station, _ canary: Canary, _ count: Int
  ) throws(RigError) -> [String] {
    let before = try read(receiver, canary)
    _ = canary.takeWorstMilliseconds()
    var after = before
    // A machine that stalls makes its holes in one second; a node that is too slow, in all.
    var wholeSeconds = 0
    for second in 1...max(1, Int(seconds)) {
      bench.wait("\(count) talkers, second \(second)", seconds: 1, each: 1)
      let now = try read(receiver, canary)
      if now.sum(\.underrun) == after.sum(\.underrun) { wholeSeconds += 1 }
      after = now
    }
    let memory = ProcessUsage.proportionalSetMegabytes(
      of: receiver.node.process.identifier, excluding: IdleMeasurement.jackMappings)
    func grown(_ value: (Reading) -> Int) -> Double { Double(value(after) - value(before)) }
    var values: [(String, Double, String)] = [
      ("cpu", after.usage.cpuPercent(since: before.usage), "%"),
      ("pssBeyondJACK", memory ?? .nan, "MB"),
    ]
    values += [
      ("lost", grown { $0.sum(\.lost) }, "count"), ("late", grown { $0.sum(\.late) }, "count"),
      ("concealed", grown { $0.sum(\.concealed) }, "count"),
      ("underrun", grown { $0.sum(\.underrun) }, "count"),
    ]
    values += Self.causes.map { cause in
      ("underrun.\(cause)", grown { $0.underruns(cause) }, "count")
    }
    values += [
      ("wholeSeconds", Double(wholeSeconds), "count"),
      ("xruns", grown { $0.status.audio.xruns }, "count"),
      ("canary.late", grown(\.canaryLate), "count"),
      ("canary.worst", canary.takeWorstMilliseconds(), "ms"),
      ("loopHeldUp", (after.loopHeldUpSeconds - before.loopHeldUpSeconds) * 1000, "ms"),
      ("stolen", (after.stolenSeconds - before.stolenSeconds) * 1000, "ms"),
    ]
    for (name, value, unit) in values {
      bench.figures.add("scale.talkers\(count).\(name)", value, unit)
    }
    // The node's own doing: none is allowed.
    let own = grown { $0.underruns("work") }
    bench.doubts.check(
      "\(count) talkers: \(Int(own)) periods lost by the node's own doing", own > 0)
    return ["\(count)"] + values.map { Figures.fixed($0.1, $0.2 == "count" ? 0 : 2) }
  }

  private func read(_ receiver: Station, _ canary: Canary) throws(RigError) -> Reading {
    let status = try receiver.node.status()
    guard let usage = ProcessUsage(of: receiver.node.process.identifier) else {
      throw .status(reason: "no CPU figures of the receiver")
    }
    return Reading(
      usage: usage, status: status, canaryLate: canary.lateWakeUps,
      stolenSeconds: Machine.stolenSeconds)
  }
}
