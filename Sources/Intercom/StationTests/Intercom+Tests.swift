import Audio
import EventLoop
import Media

/// Tests of the station that the user asks for; each ends by itself, or when the task that asked is cancelled.
///
/// What takes long, making signals and judging them, is done on Swift's pool.
extension Intercom {
  /// How often it is looked whether a test is over.
  private static let lookInterval = Duration.milliseconds(50)

  /// Plays a tone to this node's ear.
  ///
  /// - Parameters:
  ///   - levelDBFS: of its peak; in the middle, so each side has 3 dB less.
  public nonisolated func playTone(
    levelDBFS: Double, hertz: Double, seconds: Double
  ) async throws(IntercomError) {
    let sound = EarTone.Sound(levelDBFS: levelDBFS, hertz: hertz, seconds: seconds)
    await wait(for: try await beginTone(sound))
  }

  /// Finds out how long sound takes to a peer and back; that peer has to send this node's voice back.
  public nonisolated func measureLoop(
    with peer: String
  ) async throws(IntercomError) -> LoopMeasurement {
    let rate = try await trialRate()
    let probe = LoopProbe(sampleRate: rate)
    let echo = try await echo(probe.signal, sampleRate: rate, peer: peer)
    return probe.measure(echo)
  }

  /// Sends speech to a peer and judges what comes back; that peer has to send this node's voice back.
  public nonisolated func judgeLoop(
    with peer: String
  ) async throws(IntercomError) -> SpeechMeasurement {
    let rate = try await trialRate()
    let probe = SpeechProbe(sampleRate: rate)
    let echo = try await echo(probe.signal, sampleRate: rate, peer: peer)
    let coding = await coding
    return try probe.measure(
      echo, coding: coding, application: configuration.application(of: coding).rawValue)
  }

  /// Sends speech through an encoder and a decoder as they are set now, and judges what comes out; nobody hears of it.
  ///
  /// One at a time: it takes all of a processor for a while.
  public nonisolated func judgeCodec() async throws(IntercomError) -> SpeechMeasurement {
    let coding = try await beginCodecTest()
    let result = Result { () throws(AudioError) in
      try CodecTest(configuration: configuration, coding: coding).run()
    }
    await endCodecTest()
    do throws(AudioError) {
      return try result.get()
    } catch {
      throw .audio(error)
    }
  }

  /// Who a peer is; it has to be connected.
  public func trialPeer(named name: String) throws(IntercomError) -> TestPeer {
    try TestDesk.peer(station.roster.sessions.find(name))
  }

  /// Sends a peer's voice back in place of the microphone's, for so long, while it is connected.
  ///
  /// Everybody hears it: what this node sends is the same for all.
  public func startLoopBack(of name: String, seconds: Double) throws(IntercomError) -> TestPeer {
    try station.tests.beginLoopBack(
      of: station.roster.sessions.find(name), seconds: seconds,
      nowNanoseconds: EventLoop.nowNanoseconds())
  }

  /// Sends the microphone's sound again.
  public func endLoopBack() { station.tests.endLoopBack() }

  /// Whether a peer's voice is sent back now.
  public var isLoopingBack: Bool { station.tests.loopBack != nil }

  private var coding: VoiceCoding { station.repair.coding }

  /// How it is to code.
  private func beginCodecTest() throws(IntercomError) -> VoiceCoding {
    guard !isJudgingCodec else {
      throw .refused("another speech test is running; try again in a few seconds")
    }
    isJudgingCodec = true
    return station.repair.coding
  }

  private func endCodecTest() { isJudgingCodec = false }

  private func trialRate() throws(IntercomError) -> Int {
    try TestDesk.sampleRate(of: station.playout.beat)
  }

  private func beginTone(_ sound: EarTone.Sound) throws(IntercomError) -> Int {
    try station.tests.beginTone(sound, at: station.playout.beat)
  }

  private func beginEcho(
    _ test: sending EchoTest, _ peer: String
  ) throws(IntercomError) -> Int {
    try station.tests.beginEcho(
      test, by: station.roster.sessions.find(peer), at: station.playout.beat)
  }

  private nonisolated func echo(
    _ signal: [Float], sampleRate: Int, peer: String
  ) async throws(IntercomError) -> Echo {
    let number = try await beginEcho(EchoTest(signal, sampleRate: sampleRate), peer)
    await wait(for: number)
    return try await takeEcho(number, of: peer)
  }

  private func takeEcho(_ number: Int, of peer: String) throws(IntercomError) -> Echo {
    guard let test = station.tests.takeEcho(number) else {
      throw .refused("the test was cancelled")
    }
    guard test.isComplete else {
      throw .refused(
        test.lostFrames > 0
          ? "this machine stalled during the test; try again"
          : "the test was cancelled: \(peer) or JACK went away")
    }
    let session = try? station.roster.sessions.find(peer)
    let statistics = session?.streams.first?.stream.statistics
    return Echo(
      record: test.record,
      networkMilliseconds: session?.active?.reports.roundTrip.map {
        Double($0.smoothedNanoseconds) / 1e6
      },
      playoutMilliseconds: statistics.map { Double($0.playoutDelayNanoseconds) / 1e6 })
  }

  private func isRunning(_ number: Int) -> Bool {
    station.tests.running != nil && station.tests.number == number
  }

  private func endTest(_ number: Int) {
    if isRunning(number) { station.tests.end() }
  }

  /// Until that test is over; ends it where the task that asked is cancelled.
  nonisolated func wait(for number: Int) async {
    while await isRunning(number) {
      do {
        try await Task.sleep(for: Self.lookInterval)
      } catch {
        return await endTest(number)
      }
    }
  }
}
