import Remote
import StatusSchema
import TestRig

/// The scene of the demo: three stations in one group, two of which talk.
struct Demo {
  private static let mostUnsteadySeconds = 15.0
  /// All of a demo as it is by default, and what comes after the waiting but for the talk: the end,
  /// and finding the speech in what was heard.
  static let mostSeconds = 45.0
  private static let reportSeconds = 9.0

  private let bench: Bench
  private let begin = ContinuousClock.now
  private let seconds: Double
  private let stations: [Station]
  private let speechA: [Float]
  private let speechC: [Float]
  private var a: Station { stations[0] }
  private var b: Station { stations[1] }
  private var c: Station { stations[2] }

  /// Starts everything and waits until all three nodes hear of each other.
  init(_ bench: Bench, seconds: Double, ptime: String?) throws(RigError) {
    self.bench = bench
    self.seconds = seconds
    speechA = Speech.lasting(seconds, try Speech.sentences())
    speechC = Speech.lasting(seconds, try Speech.announcements())
    let ports = try LoopbackPorts.free(3)
    // A names both others, C names B: one side of each pair is enough.
    let named = [[ports[1], ports[2]], [], [ports[1]]]
    var stations: [Station] = []
    for (index, name) in ["A", "B", "C"].enumerated() {
      Console.line("starting a JACK server and node \(name) on 127.0.0.1:\(ports[index])")
      var options = NodeProcess.Options(port: ports[index])
      options.peerPorts = named[index]
      options.ptime = ptime
      stations.append(
        try Station(
          name, periodFrames: bench.options.period, options: options, recordSeconds: seconds + 5,
          in: bench.directory))
    }
    self.stations = stations
    for station in stations { try station.node.waitUntilConnected(peers: 2, within: 10) }
    Console.line("all three are connected")
    try waitUntilSteady()
  }

  /// Since the demo began.
  var elapsedSeconds: Double { (ContinuousClock.now - begin) / .seconds(1) }

  /// How long servers may take to be steady for the whole to end in time; a second at least.
  static func unsteadySeconds(elapsedSeconds: Double, talkSeconds: Double) -> Int {
    let left = mostSeconds - reportSeconds - talkSeconds - elapsedSeconds
    return Int(max(1, min(left, mostUnsteadySeconds)))
  }

  /// What was just built, or paged out, is read from the disk first;
  /// a machine that stays too busy is told of at the end.
  private func waitUntilSteady() throws(RigError) {
    let most = Self.unsteadySeconds(elapsedSeconds: elapsedSeconds, talkSeconds: seconds)
    var before = try xruns()
    for _ in 0..<most {
      pause(seconds: 1)
      let now = try xruns()
      if now - before <= stations.count { return }
      before = now
    }
  }

  /// Plays the speech and shows how it goes.
  func play() throws(RigError) {
    try a.prepareToSay(speechA)
    try c.prepareToSay(speechC)
    try b.listen(to: ["peer_A", "peer_C", "mix_left", "mix_right"])
    try placePeers()
    let before = try stations.map(cpu)
    for station in stations {
      try station.ear.start()
      try station.mouth.start()
    }
    for second in 1...Int(seconds.rounded(.up)) {
      pause(seconds: 1)
      try showProgress(second)
    }
    pause(seconds: 0.5)
    let after = try stations.map(cpu)
    for (station, (earlier, later)) in zip(stations, zip(before, after)) {
      bench.figures.add("demo.\(station.node.name).cpu", later.cpuPercent(since: earlier), "%")
    }
    for station in stations {
      station.mouth.stop()
      station.ear.stop()
    }
  }

  /// Writes the stereo mix that B heard.
  func writeHeard(to path: String) throws(RigError) {
    let mix = Sound(
      channels: [b.ear.recording(2), b.ear.recording(3)], sampleRate: Bench.sampleRate)
    try WAV.write(mix, to: path)
  }

  /// Prints the figures and judges them.
  ///
  /// - Returns: whether both talkers were understood.
  func report() throws(RigError) -> Bool {
    for station in stations {
      let status = try station.node.status()
      let name = "demo.\(station.node.name)"
      bench.figures.add("\(name).packets.sent", Double(status.network.packetsSent), "count")
      bench.figures.add("\(name).packets.received", Double(status.network.packetsReceived), "count")
      bench.figures.add("\(name).xruns", Double(status.audio.xruns), "count")
    }
    for peer in try b.node.status().peers { report(peer) }
    var isIntelligible = true
    for (input, (talker, speech)) in [(a, speechA), (c, speechC)].enumerated() {
      let hearing = Hearing(of: speech, from: talker.mouth, at: b.ear, input: input)
      report(hearing, of: talker.node.name)
      isIntelligible = isIntelligible && hearing.isIntelligible
    }
    return isIntelligible
  }

  /// Xruns of all three servers.
  func xruns() throws(RigError) -> Int {
    var sum = 0
    for station in stations { sum += try station.node.status().audio.xruns }
    return sum
  }

  /// Ends nodes and servers.
  func stop() {
    for station in stations { station.stop() }
  }

  private func placePeers() throws(RigError) {
    for (peer, position) in [("A", -0.8), ("C", 0.8)] {
      do {
        var remote = try ControlClient(path: b.node.controlPath)
        let answer = try remote.request(.pan(peer: peer, position: position))
        if case .error(let message) = answer { throw RigError.status(reason: message) }
      } catch {
        throw .status(reason: "B cannot place \(peer): \(error)")
      }
    }
  }

  private func cpu(_ station: Station) throws(RigError) -> ProcessUsage {
    try station.node.process.checkRunning()
    guard let usage = ProcessUsage(of: station.node.process.identifier) else {
      throw .status(reason: "no CPU figures of \(station.node.name)")
    }
    return usage
  }

  private func showProgress(_ second: Int) throws(RigError) {
    let peers = try b.node.status().peers.map { peer in
      let level = peer.isTalking ? "\(Figures.fixed(peer.levelDBFS, 0)) dBFS" : "silent"
      return "\(peer.name) \(level), \(peer.received) packets, \(peer.lost) lost"
    }
    let heard = peers.joined(separator: "; ")
    Console.line("  \(second)/\(Int(seconds.rounded())) s  B hears \(heard)")
  }

  private func report(_ peer: PeerStatus) {
    let name = "demo.B.from.\(peer.name)"
    let counts = [
      ("received", peer.received), ("lost", peer.lost), ("late", peer.late),
      ("concealed", peer.concealed), ("underrun", peer.underrun),
    ]
    for (word, count) in counts { bench.figures.add("\(name).\(word)", Double(count), "count") }
    bench.figures.add("\(name).jitter", peer.jitterMilliseconds, "ms")
    bench.figures.add("\(name).playoutDelay", peer.playoutDelayMilliseconds, "ms")
  }

  private func report(_ hearing: Hearing, of talker: String) {
    let name = "demo.B.from.\(talker)"
    let cards = 2 * bench.options.periodMilliseconds
    let latency = Distribution(hearing.foundLatency.values.map { $0 + cards })
    bench.figures.add("\(name).mouthToEar", latency, "ms")
    bench.figures.add("\(name).understood", hearing.understoodShare * 100, "%")
  }
}
