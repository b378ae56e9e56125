import Remote
import StatusSchema
import TestRig

/// CPU, memory and losses of a receiver as the number of talkers doubles.
struct ScaleMeasurement {
  /// What is compared before and after.
  private struct Reading {
    var usage: ProcessUsage
    var status: Status

    func sum(_ counter: (PeerStatus) -> Int) -> Int { status.peers.reduce(0) { $0 + counter($1) } }
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
    var rows = [
      ["talkers", "CPU %", "PSS MB", "lost", "late", "concealed", "underrun", "whole s", "xruns"]
    ]
    var count = 1
    while count <= maximum {
      try talkers.grow(to: count)
      try receiver.node.waitUntilConnected(peers: count, within: 30)
      pause(seconds: 2)
      rows.append(try measure(receiver, count))
      count *= 2
    }
    talkers.stop()
    receiver.stop()
    Console.line()
    Console.table(rows)
  }

  private func measure(_ receiver: Station, _ count: Int) throws(RigError) -> [String] {
    let before = try read(receiver)
    var after = before
    // A machine that stalls makes its holes in one second; a node that is too slow, in all.
    var wholeSeconds = 0
    for second in 1...max(1, Int(seconds)) {
      bench.wait("\(count) talkers, second \(second)", seconds: 1, each: 1)
      let now = try read(receiver)
      if now.sum(\.underrun) == after.sum(\.underrun) { wholeSeconds += 1 }
      after = now
    }
    let memory = ProcessUsage.proportionalSetMegabytes(
      of: receiver.node.process.identifier, excluding: IdleMeasurement.jackMappings)
    let values: [(String, Double, String)] = [
      ("cpu", after.usage.cpuPercent(since: before.usage), "%"),
      ("pssBeyondJACK", memory ?? .nan, "MB"),
      ("lost", Double(after.sum(\.lost) - before.sum(\.lost)), "count"),
      ("late", Double(after.sum(\.late) - before.sum(\.late)), "count"),
      ("concealed", Double(after.sum(\.concealed) - before.sum(\.concealed)), "count"),
      ("underrun", Double(after.sum(\.underrun) - before.sum(\.underrun)), "count"),
      ("wholeSeconds", Double(wholeSeconds), "count"),
      ("xruns", Double(after.status.audio.xruns - before.status.audio.xruns), "count"),
    ]
    for (name, value, unit) in values {
      bench.figures.add("scale.talkers\(count).\(name)", value, unit)
    }
    return ["\(count)"] + values.map { Figures.fixed($0.1, $0.2 == "count" ? 0 : 2) }
  }

  private func read(_ receiver: Station) throws(RigError) -> Reading {
    let status = try receiver.node.status()
    guard let usage = ProcessUsage(of: receiver.node.process.identifier) else {
      throw .status(reason: "no CPU figures of the receiver")
    }
    return Reading(usage: usage, status: status)
  }
}
