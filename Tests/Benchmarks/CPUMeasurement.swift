import TestRig

/// Contestants take turns on the same two servers, with the same speech both ways.
///
/// Beside them a bare client, which only copies its input: what JACK itself takes of each of them, whatever they do.
struct CPUMeasurement {
  private static var contestants: [any Contestant.Type] {
    [ComlinkContestant.self, JackTripContestant.self, JamulusContestant.self]
  }

  /// One turn of one contestant.
  private struct Turn {
    var cpuPercent: Double
    var understoodShare: Double
    var latency: Distribution
  }

  let bench: Bench
  let seconds: Double
  let rounds: Int
  let only: [String]?

  func run() throws(RigError) {
    let present = Self.contestants.filter { only?.contains($0.name) ?? true }
    for contestant in present {
      guard let hint = contestant.absence else { continue }
      Console.line("\(contestant.name) is not installed: \(hint)")
    }
    let servers = (
      try JackServer("comlink-A", periodFrames: bench.options.period, in: bench.directory),
      try JackServer("comlink-B", periodFrames: bench.options.period, in: bench.directory)
    )
    var turns: [String: [Turn]] = [:]
    var bare: [Double] = []
    for round in 1...max(1, rounds) {
      for contestant in present where contestant.absence == nil {
        Console.line("round \(round) of \(rounds): \(contestant.name)")
        turns[contestant.name, default: []].append(try turn(contestant, servers))
      }
      bare.append(try bareCPUPercent(on: servers.0))
    }
    bench.figures.add("cpu.bareClient.median", Distribution(bare).median, "%")
    for contestant in present {
      if let turns = turns[contestant.name] { add(contestant.name, turns) }
    }
    compare(turns.mapValues { Distribution($0.map(\.cpuPercent)).median })
  }

  private func turn(
    _ contestant: any Contestant.Type, _ servers: (JackServer, JackServer)
  ) throws(RigError) -> Turn {
    let speech = try Speech.sentences()
    let (a, b) = (try ends(of: servers.0, speech), try ends(of: servers.1, speech))
    let running = try contestant.init(
      at: (ContestantEnd(server: servers.0), ContestantEnd(server: servers.1)),
      probes: (a.mouth, b.mouth), in: bench.directory)
    defer { running.stop() }
    try a.mouth.connect("mouth:out_0", to: running.microphones.0)
    try b.mouth.connect("mouth:out_0", to: running.microphones.1)
    try a.ear.connect(running.voices.0, to: "ear:in_0")
    try b.ear.connect(running.voices.1, to: "ear:in_0")
    try a.mouth.start()
    try b.mouth.start()
    try b.ear.start()
    pause(seconds: 2)
    guard let before = ProcessUsage(of: running.measured.identifier) else {
      throw .status(reason: "\(contestant.name) is gone")
    }
    pause(seconds: seconds)
    try running.measured.checkRunning()
    guard let after = ProcessUsage(of: running.measured.identifier) else {
      throw .status(reason: "\(contestant.name) is gone")
    }
    b.ear.stop()
    a.mouth.stop()
    b.mouth.stop()
    let hearing = Hearing(of: speech, from: a.mouth, at: b.ear, input: 0)
    return Turn(
      cpuPercent: after.cpuPercent(since: before), understoodShare: hearing.understoodShare,
      latency: hearing.steadyLatency)
  }

  private func bareCPUPercent(on server: JackServer) throws(RigError) -> Double {
    let client = try Probe(
      server: server.name, name: "bare", inputs: 1, outputs: 1, recordSeconds: 0,
      mode: .passThrough)
    try client.start()
    pause(seconds: 1)
    guard let before = client.usage else { throw .status(reason: "the bare client is gone") }
    pause(seconds: seconds)
    guard let after = client.usage else { throw .status(reason: "the bare client is gone") }
    client.stop()
    return after.cpuPercent(since: before)
  }

  private func ends(
    of server: JackServer, _ speech: [Float]
  ) throws(RigError) -> (mouth: Probe, ear: Probe) {
    let mouth = try Probe(
      server: server.name, name: "mouth", inputs: 0, outputs: 1, recordSeconds: seconds + 10)
    let ear = try Probe(
      server: server.name, name: "ear", inputs: 1, outputs: 0, recordSeconds: seconds + 10)
    try mouth.setSource(speech, loops: true)
    return (mouth, ear)
  }

  private func add(_ name: String, _ turns: [Turn]) {
    let cpu = Distribution(turns.map(\.cpuPercent))
    bench.figures.add("cpu.\(name).min", cpu.minimum, "%")
    bench.figures.add("cpu.\(name).median", cpu.median, "%")
    let understood = Distribution(turns.map(\.understoodShare)).median
    bench.figures.add("cpu.\(name).understood", understood * 100, "%")
    bench.doubts.check(
      "cpu.\(name)", understoodShare: understood, ours: name == ComlinkContestant.name)
    bench.figures.add(
      "cpu.\(name).portToPort.median", Distribution(turns.flatMap(\.latency.values)).median, "ms")
  }

  private func compare(_ medians: [String: Double]) {
    guard let own = medians[ComlinkContestant.name] else { return }
    for (name, other) in medians.sorted(by: { $0.key < $1.key })
    where name != ComlinkContestant.name {
      bench.judge("cpu.comlinkTo.\(name)", own / other, "ratio", atMost: 1)
    }
  }
}
