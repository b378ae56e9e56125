import Remote
import StatusSchema
import TestRig

/// The scene of `demo --lines`: three stations with party lines, a private line, a call and a programme, and at each
/// step who hears whom.
struct LinesDemo {
  private static let hearingSeconds = 5.0
  /// Speech is never as quiet while somebody is heard.
  private static let quietDBFS = -60.0
  /// How much louder the side is that the programme is on.
  private static let apartRatio = 5.0

  private let bench: Bench
  private let stations: [Station]
  private var a: Station { stations[0] }
  private var b: Station { stations[1] }
  private var c: Station { stations[2] }

  /// Starts everything, and lets all three talk into microphones whose keys are closed.
  init(_ bench: Bench) throws(RigError) {
    self.bench = bench
    let ports = try LoopbackPorts.free(3)
    var stations: [Station] = []
    for (index, name) in ["A", "B", "C"].enumerated() {
      Console.line("starting a JACK server and node \(name) on 127.0.0.1:\(ports[index])")
      var options = NodeProcess.Options(port: ports[index])
      options.peerPorts = Array(ports[..<index])
      if name == "A" { options.arguments = ["--program", "stereo"] }
      stations.append(
        try Station(
          name, periodFrames: bench.options.period, options: options, recordSeconds: 5,
          in: bench.directory))
    }
    self.stations = stations
    for station in stations { try station.node.waitUntilConnected(peers: 2, within: 10) }
    for station in stations {
      try station.prepareToSay(try Speech.sentences(), loops: true)
      try station.mouth.start()
      try ask(station, .talk(isOn: false))
    }
    Console.line("all three are connected, and nobody has a key open")
    try expect([:], "nobody talks")
  }

  /// Plays all scenes.
  ///
  /// - Throws: `RigError.timeout` where somebody hears what is not for them, or does not hear what is.
  func play() throws(RigError) {
    try playLines()
    try playPrivateLine()
    try playCall()
    try playProgram()
  }

  private func playLines() throws(RigError) {
    try ask(a, .line(.new(line: "stage")), .line(.new(line: "video")))
    try join(b, "stage")
    try join(c, "video")
    try ask(a, .key(.tap(key: "stage")))
    try expect(["B": ["A"]], "A talks on line stage, which B is on")
    try ask(a, .key(.tap(key: "stage")), .key(.tap(key: "video")))
    try expect(["C": ["A"]], "A talks on line video, which C is on")
    try ask(a, .key(.tap(key: "video")))
  }

  private func playPrivateLine() throws(RigError) {
    try ask(a, .line(.new(line: "board", isPrivate: true)), .line(.add(line: "board", peer: "B")))
    try waitUntil("B to be invited", within: Self.hearingSeconds) { () throws(RigError) in
      try line("board", of: b)?.invitedBy == "A"
    }
    try ask(b, .line(.join(line: "board")), .key(.tap(key: "board")))
    try expect(["A": ["B"]], "B talks on the private line board, which C does not know of")
    guard try line("board", of: c) == nil else {
      throw .status(reason: "C knows of the private line board")
    }
    try ask(b, .key(.tap(key: "board")))
    if case .done(let words) = try a.node.ask(.line(.again(line: "board", seconds: nil))) {
      Console.line("       A \(words) at its own ear")
    }
  }

  private func playCall() throws(RigError) {
    try ask(b, .call(.call(peer: "C", line: nil, holder: nil)))
    try waitUntil("C to be called", within: Self.hearingSeconds) { () throws(RigError) in
      try c.node.status().calls?.incoming.contains { $0.peer == "B" && $0.isRinging } == true
    }
    try ask(c, .call(.reply(clears: false)))
    try expect(["B": ["C"]], "C answers B's call")
    try waitUntil("B to be able to answer", within: Self.hearingSeconds) { () throws(RigError) in
      try b.node.status().calls?.incoming.contains { $0.peer == "C" } == true
    }
    try ask(b, .call(.reply(clears: false)))
    try expect(["B": ["C"], "C": ["B"]], "B and C talk to each other alone")
    try ask(b, .call(.reply(clears: true)))
    try ask(c, .call(.reply(clears: true)))
    try expect([:], "both end it")
  }

  /// In stereo: what is on the left is heard there.
  private func playProgram() throws(RigError) {
    try a.mouth.connect("mouth:out_0", to: a.node.port("program_left"))
    for station in [b, c] {
      try waitUntil(
        "\(station.node.name) to hear A's programme", within: Self.hearingSeconds,
        detail: { station.node.process.outputTail() }
      ) { () throws(RigError) in
        let peer = try station.node.status().peers.first { $0.name == "A" }
        return peer?.streams?.contains { $0.name == "program" && $0.isTalking } == true
      }
    }
    try b.listen(to: ["mix_left", "mix_right"])
    try b.ear.start()
    pause(seconds: 1)
    b.ear.stop()
    let sides = [0, 1].map { side in
      let heard = b.ear.recording(side).suffix(24_000)
      return (heard.reduce(0) { $0 + Double($1 * $1) } / Double(max(heard.count, 1))).squareRoot()
    }
    guard sides[0] > Self.apartRatio * sides[1] else {
      throw .status(reason: "the programme's left side is heard as \(sides[0]) and \(sides[1])")
    }
    Console.line("  ok   A's programme is heard by B and C, in stereo")
  }

  private func join(_ station: Station, _ name: String) throws(RigError) {
    try waitUntil("\(station.node.name) to know line \(name)", within: Self.hearingSeconds) {
      () throws(RigError) in try line(name, of: station) != nil
    }
    try ask(station, .line(.join(line: name)))
  }

  private func line(_ name: String, of station: Station) throws(RigError) -> LineStatus? {
    try station.node.status().lines?.first { $0.name == name }
  }

  private func ask(_ station: Station, _ requests: ControlRequest...) throws(RigError) {
    for request in requests { _ = try station.node.ask(request) }
  }

  /// Waits until each hears these and nobody else, and tells how long it took.
  private func expect(_ heard: [String: Set<String>], _ scene: String) throws(RigError) {
    let begin = ContinuousClock.now
    try waitUntil(
      "the scene \"\(scene)\"", within: Self.hearingSeconds, interval: 0.05,
      detail: { stations.map { $0.node.process.outputTail() }.joined(separator: "\n") }
    ) { () throws(RigError) in
      for station in stations {
        let peers = try station.node.status().peers
        let talkers = peers.filter { $0.isTalking && $0.levelDBFS > Self.quietDBFS }.map(\.name)
        guard Set(talkers) == heard[station.node.name] ?? [] else { return false }
      }
      return true
    }
    let milliseconds = (ContinuousClock.now - begin) / .milliseconds(1)
    bench.figures.add("demo.lines.scene", milliseconds, "ms")
    let words = heard.sorted { $0.key < $1.key }.map { listener, talkers in
      "\(listener) hears \(talkers.sorted().joined(separator: ", "))"
    }
    Console.line(
      "  ok   \(scene): "
        + (words.isEmpty ? "nobody hears anything" : words.joined(separator: "; ")))
  }

  /// Ends nodes and servers.
  func stop() { for station in stations { station.stop() } }
}
