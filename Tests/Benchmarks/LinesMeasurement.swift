import Remote
import StatusSchema
import TestRig

/// CPU of a node that three talk to, by turns on the line `all` alone, and on 24 lines with each talker on one of its
/// own.
struct LinesMeasurement {
  /// Of COMMS.md's model: the lines that a node is on at most.
  private static let lineCount = 24
  private static let mostRatio = 1.3
  private static let talkers = 3

  let bench: Bench
  let seconds: Double
  let rounds: Int

  /// Beside `all`.
  private var lines: [String] { (2...Self.lineCount).map { "line\($0)" } }

  func run() throws(RigError) {
    let station = try CrowdedStation(of: bench, talkers: Self.talkers)
    pause(seconds: 3)
    var (one, many): ([Double], [Double]) = ([], [])
    for round in 1...rounds {
      one.append(try cpu(of: station.node, "round \(round), one line"))
      try spread(station.group.nodes, station.node)
      many.append(try cpu(of: station.node, "round \(round), \(Self.lineCount) lines"))
      try gather(station.group.nodes, station.node)
    }
    station.stop()
    func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
    bench.figures.add("lines.cpu.one", median(one), "%")
    bench.figures.add("lines.cpu.many", median(many), "%")
    bench.judge(
      "lines.ratio", median(zip(many, one).map { $0 / $1 }), "x", atMost: Self.mostRatio)
  }

  /// All are on all lines, and each talker talks on its own.
  private func spread(_ talkers: [NodeProcess], _ receiver: NodeProcess) throws(RigError) {
    for line in lines {
      let isThere = try receiver.status().lines?.contains { $0.name == line } == true
      try ask(receiver, .line(isThere ? .join(line: line) : .new(line: line)))
      try waitUntil("the talkers to know \(line)", within: 10) { () throws(RigError) in
        for talker in talkers {
          let known = try talker.status().lines ?? []
          guard known.contains(where: { $0.name == line }) else { return false }
        }
        return true
      }
      for talker in talkers { try ask(talker, .line(.join(line: line))) }
    }
    for (index, talker) in talkers.enumerated() {
      try ask(talker, .talk(isOn: false))
      try ask(talker, .key(.tap(key: lines[index * lines.count / talkers.count])))
    }
    try wait(for: talkers.count, toTalkAt: receiver, on: { $0 != "all" })
  }

  /// All are on `all` alone, and talk there.
  private func gather(_ talkers: [NodeProcess], _ receiver: NodeProcess) throws(RigError) {
    for node in talkers + [receiver] {
      for line in lines { try ask(node, .line(.leave(line: line))) }
    }
    for talker in talkers { try ask(talker, .talk(isOn: true)) }
    try wait(for: talkers.count, toTalkAt: receiver, on: { $0 == "all" })
  }

  private func wait(
    for count: Int, toTalkAt node: NodeProcess, on isMeant: (String) -> Bool
  ) throws(RigError) {
    try waitUntil("\(count) to be heard at \(node.name)", within: 10) { () throws(RigError) in
      try (node.status().lines ?? []).filter { isMeant($0.name) }.flatMap(\.talkers).count == count
    }
    pause(seconds: 2)
  }

  private func ask(_ node: NodeProcess, _ request: ControlRequest) throws(RigError) {
    if case .error(let message) = try node.ask(request) {
      throw .status(reason: "\(node.name) refused: \(message)")
    }
  }

  private func cpu(of node: NodeProcess, _ what: String) throws(RigError) -> Double {
    let before = ProcessUsage(of: node.process.identifier)
    bench.wait(what, seconds: seconds)
    guard let before, let after = ProcessUsage(of: node.process.identifier) else {
      throw .status(reason: "no CPU figures of the node")
    }
    return after.cpuPercent(since: before)
  }
}
