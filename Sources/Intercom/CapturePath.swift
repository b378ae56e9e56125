import Audio
import EventLoop
import Media
import RTP

/// The microphone's way out: from the capture ring to the packets that members are sent.
///
/// Each codec frame is encoded once, and sent to all.
///
/// Loop thread only.
final class CapturePath {
  /// How little of the microphone is looked at.
  private enum Rest {
    /// Each codec frame.
    case none
    /// The talk key is off, so that what is captured is silence: only what tells the others that nobody talks.
    case muted
    /// Nobody is there: nothing.
    case idle
  }

  /// Captured while the talk key is off, so much wakes the loop: at 10 ms a packet a quarter of what else would, and
  /// a part of the 400 ms between two packets that say "nobody talks".
  private static let mutedMilliseconds = 40

  private let engine: AudioEngine
  private let outlet: PacketOutlet
  private let pace: WorkPace
  private let source: CaptureSource
  private let talker: Talker
  private let report: @Sendable (IntercomEvent) -> Void
  private var sampleRate = MediaClock.framesPerSecond
  private var rest = Rest.none
  /// Who needs what is captured, as of the last wake-up.
  private var (hasListeners, isUsed) = (false, true)
  private(set) var isTalking = true

  init(
    engine: AudioEngine, outlet: PacketOutlet, pace: WorkPace, taps: Taps, talker: Talker,
    report: @escaping @Sendable (IntercomEvent) -> Void
  ) {
    self.report = report
    (self.engine, self.outlet, self.pace, self.talker) = (engine, outlet, pace, talker)
    source = CaptureSource(engine: engine, taps: taps, framesPerPacket: talker.framesPerPacket)
    engine.setTalking(isTalking)
    followWakeThreshold()
  }

  /// Follows JACK's sample rate.
  func setRate(_ sampleRate: Int) {
    self.sampleRate = sampleRate
    followWakeThreshold()
    do {
      try source.setRate(sampleRate)
    } catch {
      report(.audioFault("cannot resample from \(sampleRate) Hz: \(error)"))
    }
  }

  /// What was captured while no audio ran is history.
  func discardAll() { source.discardAll() }

  /// Rests while there is nobody to hear or to be heard by, and nothing else uses what is captured; and in part while
  /// the talk key is off.
  func followRest(hasListeners: Bool, isUsed: Bool) {
    (self.hasListeners, self.isUsed) = (hasListeners, isUsed)
    followRest()
  }

  private func followRest() {
    let before = rest
    if !hasListeners && !isUsed {
      rest = .idle
    } else {
      rest = isUsed || isTalking || talker.isTalking ? .none : .muted
    }
    guard rest != before else { return }
    switch before {
    case .none: break
    case .muted: passCaptured()
    case .idle: source.discardAll()
    }
    followWakeThreshold()
  }

  /// Lets the audio thread wake the loop for each codec frame, if anybody is to have it.
  private func followWakeThreshold() {
    switch rest {
    case .none: engine.setWakeThreshold(frames: source.neededFrames(sampleRate: sampleRate))
    case .muted: engine.setWakeThreshold(frames: mutedFrames)
    case .idle: engine.setWakeThreshold(frames: .max)
    }
  }

  private var mutedFrames: Int {
    max(
      source.neededFrames(sampleRate: sampleRate), sampleRate * Self.mutedMilliseconds / 1000)
  }

  /// What was captured with the talk key off, and not looked at, is history.
  private func passCaptured() {
    guard let passed = source.fillNewestFrame() else { return }
    talker.pass(frames: passed + source.framesPerPacket)
  }

  /// The talk key: opens or closes the mic gate, which ramps; closed, DTX falls silent by itself.
  func setTalk(_ isOn: Bool) {
    isTalking = isOn
    // Before the gate opens: what was captured while it was closed is passed over.
    followRest()
    engine.setTalking(isOn)
  }

  /// Codes otherwise from the next frame on.
  func code(_ coding: VoiceCoding) {
    talker.aim(coding)
    guard coding.framesPerPacket != source.framesPerPacket else { return }
    source.framesPerPacket = coding.framesPerPacket
    followWakeThreshold()
  }

  /// Whether frames are coded at the low rate too, as some recipe in use needs it.
  var codesLean: Bool {
    get { talker.codesLean }
    set { talker.codesLean = newValue }
  }

  /// Whether the last frame was voice or within the hang-over after it.
  var isVoiced: Bool { talker.isTalking }

  /// Media time of the next frame to be encoded.
  var currentTimestamp: RTPTimestamp { talker.currentTimestamp }

  /// What was sent so far.
  var counters: TalkerCounters { talker.counters }

  /// Encodes every codec frame that is complete, once, and sends it to all sessions, in as many different packets as
  /// there are recipes; false: there was nothing to send.
  ///
  /// What was captured while the station rested is history.
  func send(_ recipes: [RepairRecipe], to sessions: [Session]) -> Bool {
    guard !sessions.isEmpty, rest != .idle else {
      source.discardAll()
      return false
    }
    if rest == .muted { return sendMuted(recipes, to: sessions) }
    var isSending = false
    while source.fillFrame() {
      let holeFrames = source.takeHoleFrames()
      if holeFrames > 0 { talker.pass(frames: holeFrames) }
      if sendFrame(recipes, to: sessions) { isSending = true }
    }
    return isSending
  }

  /// Not before so much was captured: what is sent has to be as fresh as ever, or it would tell the others of a delay.
  private func sendMuted(_ recipes: [RepairRecipe], to sessions: [Session]) -> Bool {
    guard engine.captureAvailableFrames >= mutedFrames, let passed = source.fillNewestFrame()
    else { return false }
    talker.pass(frames: passed)
    return sendFrame(recipes, to: sessions)
  }

  private func sendFrame(_ recipes: [RepairRecipe], to sessions: [Session]) -> Bool {
    let frame = source.frame
    guard talker.encode(frame.span) else { return false }
    for index in recipes.indices { sendPacket(recipes[index], index, to: sessions) }
    pace.finish(.sending)
    return true
  }

  private func sendPacket(_ recipe: RepairRecipe, _ index: Int, to sessions: [Session]) {
    guard let packet = outlet.makeMedia(index, fill: { talker.write(recipe, into: &$0) }) else {
      return
    }
    let octets = talker.payloadOctets(
      ofPacketBytes: packet.byteCount - MediaProtection.mediaOverhead)
    for session in sessions where session.recipeIndex == index {
      guard let path = session.active else { continue }
      outlet.send(packet, to: path.address)
      session.countSent(octets: octets)
    }
  }

  /// Whether a packet can be sent again.
  func remembers(_ number: SequenceNumber) -> Bool { talker.remembers(number) }

  /// Sends a packet again.
  func resend(_ number: SequenceNumber, to address: SocketAddress) {
    if let packet = outlet.makeMedia(fill: { talker.writeResent(number, into: &$0) }) {
      outlet.send(packet, to: address)
    }
  }
}
