import Audio
import EventLoop
import Media
import RTP

/// The microphone's way out: from the capture ring to the packets that members are sent.
///
/// Each codec frame is encoded once, protected once for each stream and recipe, and sent to those whom the stream is
/// for; those on no addressed line get a notice now and then.
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
  private let protection: MediaProtection
  private let pace: WorkPace
  private let source: CaptureSource
  private let talker: Talker
  private let report: @Sendable (IntercomEvent) -> Void
  private var sampleRate = MediaClock.framesPerSecond
  private var rest = Rest.none
  /// Who needs what is captured, as of the last wake-up.
  private var (hasListeners, isUsed) = (false, true)
  private let microphone: Microphone
  /// Whom packets are for once so many more are sent: those hold what was captured before the keys changed.
  private var next: (lines: LineSet?, packets: Int)?
  private var notices = LineNotices()
  /// What is done to the microphone before its gate.
  let voice: VoiceDesk

  init(
    engine: AudioEngine, microphone: Microphone, voice: VoiceDesk, outlet: PacketOutlet,
    protection: MediaProtection, pace: WorkPace, taps: Taps, talker: Talker,
    report: @escaping @Sendable (IntercomEvent) -> Void
  ) {
    (self.report, self.protection) = (report, protection)
    (self.engine, self.outlet, self.pace, self.talker) = (engine, outlet, pace, talker)
    (self.microphone, self.voice) = (microphone, voice)
    source = CaptureSource(
      engine: engine, microphone: microphone, voice: voice, taps: taps,
      framesPerPacket: talker.framesPerPacket)
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
      let isBusy = isUsed || microphone.isTalking || talker.isTalking || next != nil
      rest = isBusy ? .none : .muted
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

  /// The talk keys: opens or closes the microphone, faded, for these lines; closed, DTX falls silent by itself.
  ///
  /// What was captured up to now goes to whom it was said, and where a key opens, to both.
  ///
  /// - Parameter lines: nil: for all; empty: closed.
  func talk(to lines: LineSet?) {
    let isOn = lines.map { !$0.isEmpty } ?? true
    // Else who comes and goes on a line again and again would put off the end of what is still for two.
    let target = if let next { next.lines } else { talker.lines(of: Talker.baseStream) }
    guard isOn != microphone.isTalking || isOn && lines != target else { return followRest() }
    // Before the gate opens: what was captured while it was closed is passed over.
    if isOn && rest == .muted { passCaptured() }
    if !isOn && microphone.isTalking { source.close() }
    let before = talker.lines(of: Talker.baseStream)
    let isTail = microphone.isTalking || next != nil
    let waiting = source.waitingPackets
    microphone.setTalk(isOn)
    // Closed, it is still for whom it was.
    let wanted = isOn ? lines : next?.lines ?? before
    next = nil
    if isTail, waiting > 0 {
      next = (wanted, waiting)
      talker.aim(Talker.baseStream, at: Self.union(before, wanted))
    } else {
      talker.aim(Talker.baseStream, at: wanted)
    }
    followRest()
  }

  private static func union(_ one: LineSet?, _ other: LineSet?) -> LineSet? {
    guard let one, let other else { return nil }
    return one.union(other)
  }

  /// Members are on other lines than before.
  func linesChanged() {
    notices.hurry()
    talker.breakRun(of: Talker.baseStream)
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

  /// Encodes every codec frame that is complete, once, and sends it to the sessions in each stream's audience, in as
  /// many different packets as there are recipes; false: there was nothing to send.
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
    defer { countDown() }
    guard talker.encode(frame.span) else { return false }
    for stream in protection.streams {
      guard let stream, talker.sends(stream.number) else { continue }
      for index in recipes.indices { sendPacket(recipes[index], index, of: stream, to: sessions) }
      if stream.number == Talker.baseStream { sendNotice(of: stream, to: sessions) }
    }
    pace.finish(.sending)
    return true
  }

  /// A codec frame less holds what was captured before the keys changed.
  private func countDown() {
    guard let (lines, packets) = next else { return }
    next = packets > 1 ? (lines, packets - 1) : nil
    if packets <= 1 { talker.aim(Talker.baseStream, at: lines) }
  }

  /// Tells those whom the packet is not for that nobody talks to them.
  private func sendNotice(of stream: OwnStream, to sessions: [Session]) {
    let audience = talker.audience(of: stream.number)
    guard notices.isDue(to: audience, frames: source.framesPerPacket),
      sessions.contains(where: { !$0.isAddressed(by: audience) }),
      let packet = outlet.makeNotice(
        of: stream, fill: { talker.writeNotice(of: stream.number, into: &$0) })
    else { return }
    for session in sessions where !session.isAddressed(by: audience) {
      guard let path = session.active else { continue }
      outlet.send(packet, to: path.address)
      session.countSent(octets: 1, of: stream.number)
    }
  }

  /// Protects a stream's packet once for all who get it with that recipe.
  private func sendPacket(
    _ recipe: RepairRecipe, _ index: Int, of stream: OwnStream, to sessions: [Session]
  ) {
    let audience = talker.audience(of: stream.number)
    func gets(_ session: Session) -> Bool {
      session.hears(stream.number, inPacketsOf: index) && session.isAddressed(by: audience)
    }
    guard sessions.contains(where: gets) else { return }
    let packet = outlet.makeMedia(index, of: stream) {
      talker.write(recipe, of: stream.number, into: &$0)
    }
    guard let packet else { return }
    let octets = talker.payloadOctets(
      ofPacketBytes: packet.byteCount - MediaProtection.mediaOverhead, of: stream.number)
    for session in sessions where gets(session) {
      guard let path = session.active else { continue }
      outlet.send(packet, to: path.address)
      session.countSent(octets: octets, of: stream.number)
    }
  }

  /// Sends a packet of a stream again.
  func resend(_ number: SequenceNumber, of ssrc: SSRC, to address: SocketAddress) {
    guard let stream = stream(of: ssrc) else { return }
    let packet = outlet.makeMedia(of: stream) {
      talker.writeResent(number, of: stream.number, into: &$0)
    }
    if let packet { outlet.send(packet, to: address) }
  }

  /// Whether a packet of a stream can be sent again to a session, which was sent it.
  func remembers(_ number: SequenceNumber, of ssrc: SSRC, for session: Session) -> Bool {
    guard let stream = stream(of: ssrc), session.hears(stream.number) else { return false }
    return talker.remembers(number, of: stream.number)
      && session.isAddressed(by: talker.audience(of: number, in: stream.number))
  }

  /// The number of a stream of this node; nil: there is none of that SSRC.
  func number(of ssrc: SSRC) -> Int? { talker.number(of: ssrc) }

  private func stream(of ssrc: SSRC) -> OwnStream? {
    talker.number(of: ssrc).flatMap { protection.stream($0) }
  }

  /// Sends the microphone to one more audience; false: the number or the SSRC is in use.
  func open(_ stream: OwnStream, firstSequenceNumber: SequenceNumber) -> Bool {
    talker.open(stream.number, ssrc: stream.ssrc, firstSequenceNumber: firstSequenceNumber)
  }

  /// Does so no more.
  func close(_ stream: OwnStream) { talker.close(stream.number) }
}

/// When those whom packets are not for are told so: as soon as it begins, and each 400 ms, as of any pause.
struct LineNotices {
  private static let intervalFrames = 19_200

  private var audience: LineSet?
  private var frames = 0

  /// Members are on other lines: who is not spoken to any more is told with the next packet.
  mutating func hurry() { frames = Self.intervalFrames }

  /// Takes whom a packet goes to, nil: to all; whether the others are to be told.
  mutating func isDue(to audience: LineSet?, frames packetFrames: Int) -> Bool {
    frames += packetFrames
    let isNew = audience != self.audience
    self.audience = audience
    guard audience != nil, isNew || frames >= Self.intervalFrames else { return false }
    frames = 0
    return true
  }
}
