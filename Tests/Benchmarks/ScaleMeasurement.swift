import Remote
import StatusSchema
import TestRig

/// CPU, memory and losses of a receiver as the number of talkers doubles, and whose doing the losses are.
///
/// The node tells the cause of each period without sound (`audio.underruns` in STATUS.md). That its own account is
/// right is seen beside it: a canary thread of the media loop's priority, the time for which the loop could have run
/// and did not, and what the host took.
struct ScaleMeasurement {
  /// What is compared before and after.
  private struct Reading {
    var usage: ProcessUsage
    var bareXruns: Int
    var status: Status
    var canaryLate: Int
    var stolenSeconds: Double

    func sum(_ counter: (PeerStatus) -> Int) -> Int { status.peers.reduce(0) { $0 + counter($1) } }
    /// NaN: the node does not tell; a cause that never happened has no number.
    func underruns(_ cause: String) -> Double {
      status.audio.underruns.map { Double($0[cause] ?? 0) } ?? .nan
    }
    var kernelDrops: Int { status.network.drops["kernelBufferFull"] ?? 0 }
    var loopHeldUpSeconds: Double {
      usage.threads.first { $0.name == "comlink-loop" }?.heldUpSeconds ?? .nan
    }
  }

  /// What the media loop gets, below JACK's.
  private static let canaryPriority = 50
  private static let causes = ["callbacks", "wakeUps", "work"]
  /// What a figure may be above twice that of half the talkers, as one second is not like the other.
  private static let marginPercent = 2.0
  private static let marginMegabytes = 2.0

  /// What grows with the talkers.
  private struct Load {
    var cpuPercent: Double
    var megabytes: Double
  }

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
    let bare = try BareClient(of: bench)
    var rows = [
      ["talkers", "CPU %", "PSS MB", "written MB", "lost", "late", "concealed", "underrun"]
        + Self.causes
        + [
          "overruns", "kernel drops", "whole s", "own s", "xruns", "bare xruns", "canary late",
          "worst ms", "held up ms", "stolen ms",
        ]
    ]
    var loads: [Load] = []
    var count = 1
    while count <= maximum {
      try talkers.grow(to: count)
      try receiver.node.waitUntilConnected(peers: count, within: 30)
      pause(seconds: 2)
      let (row, load) = try measure(receiver, canary, bare, count)
      rows.append(row)
      judgeGrowth(loads + [load], count)
      loads.append(load)
      count *= 2
    }
    talkers.stop()
    receiver.stop()
    bare.stop()
    Console.line()
    Console.table(rows)
  }

  private func measure(
    _ receiver: Station, _ canary: Canary, _ bare: BareClient, _ count: Int
  ) throws(RigError) -> (row: [String], load: Load) {
    let before = try read(receiver, canary, bare)
    _ = canary.takeWorstMilliseconds()
    var after = before
    // A machine that stalls or slows down makes its holes in one second; a node that is too slow, in all.
    var (wholeSeconds, ownSeconds) = (0, 0)
    for second in 1...max(1, Int(seconds)) {
      bench.wait("\(count) talkers, second \(second)", seconds: 1, each: 1)
      let now = try read(receiver, canary, bare)
      if now.sum(\.underrun) == after.sum(\.underrun) { wholeSeconds += 1 }
      if now.underruns("work") > after.underruns("work") { ownSeconds += 1 }
      after = now
    }
    let process = receiver.node.process.identifier
    let proportional = ProcessUsage.proportionalSetMegabytes(
      of: process, excluding: IdleMeasurement.jackMappings)
    let written = ProcessUsage.writtenMegabytes(
      of: process, excluding: IdleMeasurement.jackMappings)
    func grown(_ value: (Reading) -> Int) -> Double { Double(value(after) - value(before)) }
    var values: [(String, Double, String)] = [
      ("cpu", after.usage.cpuPercent(since: before.usage), "%"),
      ("pssBeyondJACK", proportional ?? .nan, "MB"),
      ("written", written ?? .nan, "MB"),
    ]
    values += [
      ("lost", grown { $0.sum(\.lost) }, "count"), ("late", grown { $0.sum(\.late) }, "count"),
      ("concealed", grown { $0.sum(\.concealed) }, "count"),
      ("underrun", grown { $0.sum(\.underrun) }, "count"),
    ]
    values += Self.causes.map { cause in
      ("underrun.\(cause)", after.underruns(cause) - before.underruns(cause), "count")
    }
    values += [
      ("captureOverruns", grown { $0.status.audio.captureOverruns }, "count"),
      ("kernelDrops", grown(\.kernelDrops), "count"),
      ("wholeSeconds", Double(wholeSeconds), "count"),
      ("ownSeconds", Double(ownSeconds), "count"),
      ("xruns", grown { $0.status.audio.xruns }, "count"),
      ("bare.xruns", grown(\.bareXruns), "count"),
      ("canary.late", grown(\.canaryLate), "count"),
      ("canary.worst", canary.takeWorstMilliseconds(), "ms"),
      ("loopHeldUp", (after.loopHeldUpSeconds - before.loopHeldUpSeconds) * 1000, "ms"),
      ("stolen", (after.stolenSeconds - before.stolenSeconds) * 1000, "ms"),
    ]
    for (name, value, unit) in values {
      bench.figures.add("scale.talkers\(count).\(name)", value, unit)
    }
    judgeOwnDoing(values, count)
    let row = ["\(count)"] + values.map { Figures.fixed($0.1, $0.2 == "count" ? 0 : 2) }
    return (row, Load(cpuPercent: values[0].1, megabytes: written ?? .nan))
  }

  /// The node's own doing: none is allowed.
  private func judgeOwnDoing(_ values: [(String, Double, String)], _ count: Int) {
    let own = ["underrun.work", "captureOverruns", "kernelDrops"]
    for (name, value, unit) in values where own.contains(name) {
      bench.limit("scale.talkers\(count).\(name)", value, unit, atMost: 0)
    }
  }

  /// Twice the talkers take at most twice the CPU, and at most twice the memory that the last doubling took: what it
  /// wrote, as its share of the program's own pages gets less with each talker here, which runs the same.
  private func judgeGrowth(_ loads: [Load], _ count: Int) {
    guard let last = loads.last, let half = loads.dropLast().last else { return }
    bench.limit(
      "scale.talkers\(count).cpu", last.cpuPercent, "%",
      atMost: 2 * half.cpuPercent + Self.marginPercent)
    guard let quarter = loads.dropLast(2).last else { return }
    let (grown, grownBefore) = (last.megabytes - half.megabytes, half.megabytes - quarter.megabytes)
    bench.judge(
      "scale.talkers\(count).writtenGrown", grown, "MB",
      atMost: 2 * max(0, grownBefore) + Self.marginMegabytes)
  }

  private func read(
    _ receiver: Station, _ canary: Canary, _ bare: BareClient
  ) throws(RigError) -> Reading {
    let status = try receiver.node.status()
    guard let usage = ProcessUsage(of: receiver.node.process.identifier) else {
      throw .status(reason: "no CPU figures of the receiver")
    }
    return Reading(
      usage: usage, bareXruns: bare.xruns, status: status,
      canaryLate: canary.lateWakeUps,
      stolenSeconds: Machine.stolenSeconds)
  }
}
