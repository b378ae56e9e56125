import Remote
import StatusSchema
import TestKit
import TestRig

/// The same tone through two nodes and through two JackTrip, at once, between servers whose clocks may differ.
struct ClicksMeasurement {
  private static let hertz = 440.0
  /// Until then delays have settled.
  private static let settlingSeconds = 20.0
  private static let speechSeconds = 10.0
  private static let mostPerMinute = 2.0
  /// At JackTrip's delay of some 7.4 ms, 5 of which codec and frame take, a later wake-up of any thread on the path is
  /// heard; JackTrip, which has no codec, has all of the delay to bridge it.
  private static let heardMilliseconds = 2.5

  let bench: Bench
  let ppm: Double
  let seconds: Double
  let profile: String

  /// What became of the sound at one pair of ends.
  private struct Result {
    var perMinute: Double
    var latency: Distribution
  }

  func run() throws(RigError) {
    Console.line("\nA's clock \(Figures.fixed(ppm, 0)) ppm faster:")
    let period = bench.options.period
    let servers = (
      try JackServer(
        "comlink-A", periodFrames: period, driftPPM: ppm, in: bench.directory),
      try JackServer("comlink-B", periodFrames: period, in: bench.directory)
    )
    let room = Self.settlingSeconds + seconds + Self.speechSeconds + 10
    let mouth = try Probe(
      server: servers.0.name, name: "mouth", inputs: 0, outputs: 1, recordSeconds: room)
    let ear = try Probe(
      server: servers.1.name, name: "ear", inputs: 2, outputs: 0, recordSeconds: room)
    let nodes = try nodes(on: servers)
    defer { for node in nodes { node.process.terminate() } }
    try mouth.connect("mouth:out_0", to: nodes[0].port("mic"))
    try ear.connect(nodes[1].port("peer_A"), to: "ear:in_0")
    let rival = try rival(on: servers, mouth, ear)
    defer { rival?.stop() }
    let statuses = try record(mouth, ear, nodes)
    let ours = result(mouth, ear, input: 0)
    add("comlink", ours)
    for status in statuses { add(status) }
    guard rival != nil else { return }
    let theirs = result(mouth, ear, input: 1)
    add("jacktrip", theirs)
    judge(ours, beside: theirs)
  }

  private func nodes(on servers: (JackServer, JackServer)) throws(RigError) -> [NodeProcess] {
    let ports = try LoopbackPorts.free(2)
    var options = (NodeProcess.Options(port: ports[0]), NodeProcess.Options(port: ports[1]))
    // A steady tone is noise to a suppressor.
    let arguments =
      profile == "none" ? [] : ["--profile", profile, "--voice-suppress", "off"]
    (options.0.arguments, options.1.arguments) = (arguments, arguments)
    options.0.peerPorts = [ports[1]]
    let a = try NodeProcess("A", on: servers.0, options: options.0, in: bench.directory)
    let b = try NodeProcess("B", on: servers.1, options: options.1, in: bench.directory)
    try a.waitUntilConnected(peers: 1, within: 10)
    try b.waitUntilConnected(peers: 1, within: 10)
    return [a, b]
  }

  private func rival(
    on servers: (JackServer, JackServer), _ mouth: Probe, _ ear: Probe
  ) throws(RigError) -> JackTripContestant? {
    if let hint = JackTripContestant.absence {
      Console.line("jacktrip is not installed, so nothing is judged: \(hint)")
      return nil
    }
    let rival = try JackTripContestant(
      at: (ContestantEnd(server: servers.0), ContestantEnd(server: servers.1)),
      probes: (mouth, ear), in: bench.directory)
    try mouth.connect("mouth:out_0", to: rival.microphones.0)
    try ear.connect(rival.voices.1, to: "ear:in_1")
    return rival
  }

  /// Plays tone and speech; the receiver's status before and after the tone.
  private func record(
    _ mouth: Probe, _ ear: Probe, _ nodes: [NodeProcess]
  ) throws(RigError) -> [Status] {
    let tone = Speech.tone(hertz: Self.hertz, level: 0.25)
    let toneFrames = Int((Self.settlingSeconds + seconds) * Double(Bench.sampleRate))
    let speech = Speech.lasting(Self.speechSeconds, try Speech.sentences())
    try mouth.setSource((0..<toneFrames).map { tone[$0 % tone.count] } + speech)
    try ear.start()
    try mouth.start()
    pause(seconds: Self.settlingSeconds)
    let before = try nodes[1].status()
    let canary = try? Canary(
      priority: JackServer.usualPriority, lateMilliseconds: Self.heardMilliseconds)
    bench.wait("a tone", seconds: seconds, each: 30)
    if let canary {
      bench.figures.add(
        "\(name).machine.late", Double(canary.lateWakeUps) * 60 / seconds, "1/min")
    }
    let after = try nodes[1].status()
    pause(seconds: Self.speechSeconds + 1)
    mouth.stop()
    ear.stop()
    return [before, after]
  }

  private func result(_ mouth: Probe, _ ear: Probe, input: Int) -> Result {
    let recording = ear.recording(input)
    let rate = Double(Bench.sampleRate)
    let begin = min(recording.count, Int(Self.settlingSeconds * rate))
    let end = min(recording.count, begin + Int((seconds - 1) * rate))
    let events = ToneEvents.positions(
      in: Array(recording[begin..<end]), hertz: Self.hertz, sampleRate: rate)
    return Result(
      perMinute: Double(events.count) * 60 / (seconds - 1),
      latency: latency(mouth, ear, recording))
  }

  /// Of the speech at the end.
  private func latency(_ mouth: Probe, _ ear: Probe, _ recording: [Float]) -> Distribution {
    let toneFrames = Int64((Self.settlingSeconds + seconds) * Double(Bench.sampleRate))
    let played = mouth.playedTimeLine
    let spoken = TimeLine(
      cycles: played.cycles.filter { $0.position >= toneFrames }.map {
        TimeLine.Cycle(
          startNanoseconds: $0.startNanoseconds, position: $0.position - toneFrames,
          frames: $0.frames)
      }, sampleRate: played.sampleRate)
    guard let speech = try? Speech.sentences() else { return Distribution([]) }
    let segments = Correlator(sampleRate: ear.sampleRate).measure(
      source: Speech.lasting(Self.speechSeconds, speech), played: spoken, recording: recording,
      recorded: ear.recordedTimeLine)
    let found = segments.filter { $0.correlation >= Hearing.threshold }
    return Distribution(found.map(\.latencyMilliseconds))
  }

  private var name: String { "clicks.\(profile).\(Figures.fixed(ppm, 0))ppm" }

  private func add(_ who: String, _ result: Result) {
    bench.figures.add("\(name).\(who).events", result.perMinute, "1/min")
    bench.figures.add("\(name).\(who).portToPort", result.latency, "ms")
  }

  private func add(_ status: Status) {
    guard let peer = status.peers.first else { return }
    Console.line(
      "  playout \(Figures.fixed(peer.playoutDelayMilliseconds, 2)) ms, \(peer.late) late, "
        + "\(peer.concealed) concealed, \(peer.underrun) holes, \(peer.spliced) splices, "
        + "\(status.audio.xruns) xruns, \(status.audio.missedPeriods) missed")
  }

  private func judge(_ ours: Result, beside theirs: Result) {
    bench.limit(
      "\(name).comlink.events", ours.perMinute, "1/min",
      atMost: max(theirs.perMinute, Self.mostPerMinute))
    bench.limit(
      "\(name).comlink.portToPort.median", ours.latency.median, "ms",
      atMost: theirs.latency.median)
  }
}
