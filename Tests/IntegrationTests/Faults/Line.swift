import Glibc
import StatusSchema

@testable import TestRig

/// A speaker `A` and a listener `B` whose JACK server a test may do anything to.
struct Line {
  /// The name for the listener's JACK server, which is the test's business.
  let serverName: String
  private let ports: [Int]
  private let directory: TemporaryDirectory

  init(in directory: TemporaryDirectory) throws(RigError) {
    self.directory = directory
    serverName = "comlink-B-\(getpid())-\(UInt16.random(in: 0...UInt16.max))"
    ports = try LoopbackPorts.free(2)
  }

  /// Starts the listener's server.
  func server(
    sampleRate: Int = 48_000, plugin: JackPlugin? = nil
  ) throws(RigError) -> JackServer {
    try JackServer(
      named: serverName, sampleRate: sampleRate, periodFrames: 256, plugin: plugin, in: directory)
  }

  /// Starts the listener, which calls nobody and whose server need not run; `program` is another copy of it.
  func listener(
    arguments: [String] = [], program: String? = nil
  ) throws(RigError) -> NodeProcess {
    var options = NodeProcess.Options(port: ports[1])
    (options.arguments, options.program) = (arguments, program)
    return try NodeProcess("B", onServerNamed: serverName, options: options, in: directory)
  }

  /// Starts the speaker, which calls the listener, and waits until it is connected.
  func speaker(arguments: [String] = []) throws(RigError) -> Speaker {
    var options = NodeProcess.Options(port: ports[0])
    options.arguments = arguments
    options.peerPorts = [ports[1]]
    return try Speaker(options: options, in: directory)
  }
}

/// A node `A` that says the same sentences again and again, on a JACK server of its own.
struct Speaker {
  let station: Station
  private let speech: [Float]

  /// Starts it.
  init(options: NodeProcess.Options, in directory: TemporaryDirectory) throws(RigError) {
    // Three seconds: whole frames at 44100 Hz, too.
    speech = Speech.lasting(3, try Speech.sentences())
    station = try Station(
      "A", periodFrames: 256, options: options, recordSeconds: 60, in: directory)
    try station.prepareToSay(speech, loops: true)
    try station.node.waitUntilConnected(peers: 1, within: 30)
  }

  /// Says one note without end, of which no cycle is silent.
  func hum() throws(RigError) {
    station.mouth.stop()
    try station.mouth.setSource(Speech.tone(hertz: 440, level: 0.3), loops: true)
    try station.mouth.start()
  }

  /// Whether some seconds of speech arrive as they were said; tried three times, as machines stall.
  func isUnderstood(by ear: Probe) throws(RigError) -> Bool {
    for _ in 1...3 {
      try ear.start()
      try station.mouth.start()
      try waitUntil("three and a half seconds of sound", within: 30) { () throws(RigError) in
        Double(ear.recordedFrames) > 3.5 * ear.sampleRate
      }
      station.mouth.stop()
      ear.stop()
      let segments = segments(in: ear)
      if segments.count >= 5 && segments.understoodShare() >= 0.75 { return true }
    }
    return false
  }

  /// Compares at the ear's rate: speech and its time line are brought there.
  private func segments(in ear: Probe) -> [Correlator.Segment] {
    let played = station.mouth.playedTimeLine
    let scale = ear.sampleRate / played.sampleRate
    let cycles = played.cycles.map { cycle in
      TimeLine.Cycle(
        startNanoseconds: cycle.startNanoseconds,
        position: Int64(Double(cycle.position) * scale),
        frames: Int((Double(cycle.frames) * scale).rounded(.up)))
    }
    return Correlator(sampleRate: ear.sampleRate).measure(
      source: Sound.resampled(speech, from: Speech.sampleRate, to: Int(ear.sampleRate)),
      played: TimeLine(cycles: cycles, sampleRate: ear.sampleRate), recording: ear.recording(),
      recorded: ear.recordedTimeLine, skippingSeconds: 0.5)
  }
}

extension NodeProcess {
  /// Opens an ear on the node's server and connects it as a user would.
  func ear(on server: JackServer, recordSeconds: Double = 30) throws(RigError) -> Probe {
    let ear = try Probe(
      server: server.name, name: "ear", inputs: 1, outputs: 0, recordSeconds: recordSeconds)
    try ear.waitForPort(port("peer_A"), within: 20)
    try ear.connect(port("peer_A"), to: "ear:in_0")
    return ear
  }

  /// Waits until its audio is so.
  func waitUntilAudio(
    is state: AudioStatus.State, within seconds: Double = 20
  ) throws(RigError) {
    try waitUntil(
      "audio \(state.rawValue)", within: seconds, detail: { process.outputTail() }
    ) { () throws(RigError) in
      try process.checkRunning()
      return (try? status().audio.state) == state
    }
  }
}
