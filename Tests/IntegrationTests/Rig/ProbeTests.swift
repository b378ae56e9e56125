import Testing

@testable import TestRig

/// The instruments on a real jackd, where the true latency is known.
@Suite(.serialized) struct ProbeTests {
  private let directory: TemporaryDirectory
  private let server: JackServer

  init() throws {
    directory = try TemporaryDirectory()
    server = try JackServer("rigtest", periodFrames: 256, in: directory)
  }

  @Test func `direct connection has no latency`() throws {
    let latency = try measuredLatency { player, recorder in
      try player.connect("player:out_0", to: "recorder:in_0")
    }
    #expect(abs(latency) < 0.05)
  }

  @Test func `a client that passes sound on adds nothing`() throws {
    let through = try Probe(
      server: server.name, name: "through", inputs: 1, outputs: 1, recordSeconds: 0,
      mode: .passThrough)
    let latency = try measuredLatency { player, recorder in
      try player.connect("player:out_0", to: "through:in_0")
      try player.connect("through:out_0", to: "recorder:in_0")
    }
    #expect(abs(latency) < 0.05)
    #expect(through.isAlive)
  }

  /// Speech played by one client and recorded by another; the median in milliseconds.
  private func measuredLatency(
    _ connect: (Probe, Probe) throws -> Void
  ) throws -> Double {
    let source = try Speech.lasting(2, Speech.announcements())
    let player = try Probe(
      server: server.name, name: "player", inputs: 0, outputs: 1, recordSeconds: 10)
    let recorder = try Probe(
      server: server.name, name: "recorder", inputs: 1, outputs: 0, recordSeconds: 10)
    try player.setSource(source)
    try connect(player, recorder)
    try recorder.start()
    try player.start()
    try waitUntil("two seconds of sound", within: 60) { () throws(RigError) in
      recorder.recordedFrames > 48_000 * 5 / 2
    }
    player.stop()
    recorder.stop()
    let segments = Correlator(sampleRate: 48_000).measure(
      source: source, played: player.playedTimeLine, recording: recorder.recording(),
      recorded: recorder.recordedTimeLine)
    try #require(segments.count >= 3)
    return Distribution(segments.map(\.latencyMilliseconds)).median
  }

  @Test func `a server that is not there is an error at once`() {
    #expect(throws: RigError.self) {
      try Probe(
        server: "no-such-server", name: "probe", inputs: 1, outputs: 1, recordSeconds: 1)
    }
  }
}
