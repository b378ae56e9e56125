import Audio
import Media

/// Tests that the user asks for, and loop-backs that the user consents to. Rare, and may allocate, but for the steps.
extension Station {
  /// The rate of what is captured and heard; JACK has to run.
  func trialRate() throws(IntercomError) -> Int {
    guard beat.isRunning else { throw .refused("JACK does not run; start it, then test again") }
    return beat.sampleRate
  }

  /// The connected peer that the user means by `name`.
  func trialPeer(_ name: String) throws(IntercomError) -> Peer {
    let peer = try peers.find(name)
    guard peer.state == .connected, peer.slot != nil else {
      throw .refused("\(peer.name) is not connected now")
    }
    return peer
  }

  /// Begins a tone in a free place of the mix; returns the test's number.
  func beginTone(_ sound: EarTone.Sound) throws(IntercomError) -> Int {
    _ = try trialRate()
    guard let index = freeSlots.lastIndex(where: engine.isIdle) else {
      throw .refused("all slots of the mix are taken; try again when a peer has left")
    }
    let number = try begin(EarTone(sound, in: freeSlots[index]))
    freeSlots.remove(at: index)
    return number
  }

  /// Begins to send a signal in place of the microphone, and to record what the peer sends back;
  /// returns the test's number.
  func beginEcho(_ echo: EchoTest, peer name: String) throws(IntercomError) -> Int {
    guard try trialRate() == echo.sampleRate else {
      throw .refused("JACK's sample rate has just changed; try again")
    }
    if let loopBack {
      throw .refused(
        "this node loops \(loopBack.name)'s voice back, so it cannot send a test; "
          + "end that with comlink loopback off")
    }
    echo.slot = try trialPeer(name).slot
    return try begin(echo)
  }

  private func begin(_ next: any StationTest) throws(IntercomError) -> Int {
    guard test == nil, next.begin(engine) else {
      throw .refused("another test is running; try again in a few seconds")
    }
    test = next
    testNumber += 1
    tap?.setMicrophone(isCaptured: capturesMicrophone)
    return testNumber
  }

  /// Ends the test that runs, if one does.
  func endTest() {
    guard let test else { return }
    test.end(engine)
    if let tone = test as? EarTone, let slot = tone.slot { freeSlots.append(slot) }
    if let echo = test as? EchoTest { lastEcho = (testNumber, echo) }
    self.test = nil
    tap?.setMicrophone(isCaptured: capturesMicrophone)
  }

  /// Whether what goes out is the microphone's, and neither a test nor a peer's voice.
  var capturesMicrophone: Bool { loopBack == nil && !(test is EchoTest) }

  /// Sends a peer's voice back in place of the microphone's, or ends that at once.
  func setLoopBack(
    of name: String, seconds: Double, nowNanoseconds: Int64
  ) throws(IntercomError) -> TestPeer {
    guard test == nil else { throw .refused("a test is running; try again in a few seconds") }
    let peer = try trialPeer(name)
    guard let slot = peer.slot else { throw .refused("\(name) is not connected now") }
    loopBack = LoopBack(
      slot: slot, name: peer.name, untilNanoseconds: nowNanoseconds + Int64(seconds * 1e9))
    engine.captureSound(of: slot)
    tap?.setMicrophone(isCaptured: false)
    return TestPeer(name: peer.name, node: peer.member.node)
  }

  /// The microphone again, if it was not.
  func endLoopBack() {
    guard loopBack != nil else { return }
    loopBack = nil
    engine.captureMicrophone()
    tap?.setMicrophone(isCaptured: true)
  }

  /// One wake-up of the test that runs.
  func stepTest(nowNanoseconds: Int64) {
    guard let test else { return }
    if !test.step(engine, beat, nowNanoseconds: nowNanoseconds) { endTest() }
  }

  /// A loop-back whose time is over.
  func expireLoopBack(nowNanoseconds: Int64) {
    if let until = loopBack?.untilNanoseconds, nowNanoseconds >= until { endLoopBack() }
  }

  /// A slot's peer goes: nothing of it is heard or sent back any more.
  func endTests(with slot: PeerSlot) {
    if test?.slot == slot { endTest() }
    if loopBack?.slot == slot { endLoopBack() }
  }
}

/// Something that the station does for a while so that its user learns whether it works; one at a time.
///
/// Loop thread only. Steps allocate nothing, and each test ends by itself.
protocol StationTest: AnyObject {
  /// The place in the mix that it uses: its own, or a peer's.
  var slot: PeerSlot? { get }

  /// Begins; false: not now, as the last one of its kind still fades out.
  func begin(_ engine: AudioEngine) -> Bool
  /// One wake-up; false: it is over.
  func step(_ engine: AudioEngine, _ beat: Beat, nowNanoseconds: Int64) -> Bool
  /// Puts everything back, whether it is over or broken off.
  func end(_ engine: AudioEngine)
}
