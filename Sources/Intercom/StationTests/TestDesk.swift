import Audio
import Media

/// Tests that the user asks for, and loop-backs that the user consents to: one at a time.
///
/// Loop thread only; rare, and may allocate, but for the steps.
final class TestDesk {
  private let engine: AudioEngine
  private let slots: Slots
  private let microphone: Microphone
  /// The test that runs.
  private(set) var running: (any StationTest)?
  /// Of the test that runs, or ran last.
  private(set) var number = 0
  /// The last that brought a recording.
  private(set) var lastEcho: (number: Int, test: EchoTest)?
  /// The last that had the microphone.
  private(set) var lastHeard: (number: Int, test: any MicrophoneListener)?
  /// Whose voice is sent back, if anybody's.
  private(set) var loopBack: LoopBack?

  init(engine: AudioEngine, slots: Slots, microphone: Microphone) {
    (self.engine, self.slots, self.microphone) = (engine, slots, microphone)
  }

  /// Whether there is anything that needs all that is captured.
  var isBusy: Bool { running != nil || loopBack != nil }

  /// Whether a test or a peer's voice goes out in the microphone's place.
  private var replacesMicrophone: Bool { loopBack != nil || running is EchoTest }

  /// The rate of what is captured and heard; JACK has to run.
  static func sampleRate(of beat: Beat) throws(IntercomError) -> Int {
    guard beat.isRunning else { throw .refused("JACK does not run; start it, then test again") }
    return beat.sampleRate
  }

  /// Where a member is heard, which has to be connected.
  private static func slot(of session: Session) throws(IntercomError) -> PeerSlot {
    guard let stream = session.streams.first else {
      throw .refused("\(session.name) is not connected now")
    }
    return stream.slot
  }

  /// A member as tests name it, which has to be connected.
  static func peer(_ session: Session) throws(IntercomError) -> TestPeer {
    _ = try slot(of: session)
    return TestPeer(name: session.name, node: session.node)
  }

  /// Begins a tone in a free place of the mix; returns the test's number.
  func beginTone(_ sound: EarTone.Sound, at beat: Beat) throws(IntercomError) -> Int {
    _ = try Self.sampleRate(of: beat)
    let place = try EarSlot(engine, in: slots)
    do throws(IntercomError) {
      return try begin(EarTone(sound, in: place))
    } catch {
      place.end()
      throw error
    }
  }

  /// Begins to send a signal in place of the microphone, and to record what a member sends back;
  /// returns the test's number.
  func beginEcho(
    _ echo: EchoTest, by session: Session, at beat: Beat
  ) throws(IntercomError) -> Int {
    guard try Self.sampleRate(of: beat) == echo.sampleRate else { throw Self.rateChanged }
    if let loopBack {
      throw .refused(
        "this node loops \(loopBack.name)'s voice back, so it cannot send a test; "
          + "end that with comlink loopback off")
    }
    echo.slot = try Self.slot(of: session)
    return try begin(echo)
  }

  /// Begins to record the microphone, and a sound to the ear after that; returns the test's number.
  func beginMicrophone(_ test: MicrophoneTest, at beat: Beat) throws(IntercomError) -> Int {
    guard try Self.sampleRate(of: beat) == test.sampleRate else { throw Self.rateChanged }
    test.place = try EarSlot(engine, in: slots)
    return try begin(test)
  }

  /// Begins to let the user hear the own microphone; returns the test's number.
  func beginMonitor(_ test: EarMonitor, at beat: Beat) throws(IntercomError) -> Int {
    guard try Self.sampleRate(of: beat) == test.sampleRate else { throw Self.rateChanged }
    test.place = try EarSlot(engine, in: slots)
    let number = try begin(test)
    microphone.setMonitored(true)
    return number
  }

  private static let rateChanged = IntercomError.refused(
    "JACK's sample rate has just changed; try again")

  private func begin(_ next: any StationTest) throws(IntercomError) -> Int {
    guard running == nil, next.begin(engine) else {
      next.abandon()
      throw .refused("another test is running; try again in a few seconds")
    }
    running = next
    number += 1
    microphone.setReplaced(replacesMicrophone)
    return number
  }

  /// Ends the test that runs, if one does.
  func end() {
    guard let test = running else { return }
    test.end(engine)
    if let echo = test as? EchoTest { lastEcho = (number, echo) }
    if let heard = test as? any MicrophoneListener { lastHeard = (number, heard) }
    running = nil
    microphone.setMonitored(false)
    microphone.setReplaced(replacesMicrophone)
  }

  /// What a test recorded, once; nil: it did not run to its end.
  func takeEcho(_ number: Int) -> EchoTest? {
    defer { lastEcho = nil }
    return lastEcho.flatMap { $0.number == number ? $0.test : nil }
  }

  /// A test that had the microphone, once.
  func takeHeard(_ number: Int) -> (any MicrophoneListener)? {
    defer { lastHeard = nil }
    return lastHeard.flatMap { $0.number == number ? $0.test : nil }
  }

  /// Sends a member's voice back in place of the microphone's.
  func beginLoopBack(
    of session: Session, seconds: Double, nowNanoseconds: Int64
  ) throws(IntercomError) -> TestPeer {
    guard running == nil else { throw .refused("a test is running; try again in a few seconds") }
    let slot = try Self.slot(of: session)
    loopBack = LoopBack(
      slot: slot, name: session.name, untilNanoseconds: nowNanoseconds + Int64(seconds * 1e9))
    engine.captureSound(of: slot)
    microphone.setReplaced(replacesMicrophone)
    return TestPeer(name: session.name, node: session.node)
  }

  /// The microphone again, if it was not.
  func endLoopBack() {
    guard loopBack != nil else { return }
    loopBack = nil
    engine.captureMicrophone()
    microphone.setReplaced(replacesMicrophone)
  }

  /// One wake-up of the test that runs.
  func step(_ beat: Beat, nowNanoseconds: Int64) {
    guard let test = running else { return }
    if !test.step(engine, beat, nowNanoseconds: nowNanoseconds) { end() }
  }

  /// A loop-back whose time is over.
  func expireLoopBack(nowNanoseconds: Int64) {
    if let until = loopBack?.untilNanoseconds, nowNanoseconds >= until { endLoopBack() }
  }

  /// A slot's member goes: nothing of it is heard or sent back any more.
  func end(with slot: PeerSlot) {
    if running?.slot == slot { end() }
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
  /// It could not begin: its place in the mix is free again.
  func abandon()
}

extension StationTest {
  func abandon() {}
}
