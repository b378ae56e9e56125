import Audio
import EventLoop
import Lines
import Media
import Mesh
import RTP

/// The way out of the microphone, and of further inputs: from the capture ring to the packets that members are sent.
///
/// Each codec frame of a source is encoded once, protected once for each stream and recipe, and sent to those whom the
/// stream is for; those on no addressed line get a notice now and then.
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
  private let protection: MediaProtection
  private let outlet: PacketOutlet
  private let pace: WorkPace
  private let source: CaptureSource
  private let talker: Talker
  /// What makes packets of what the talker says, and of what the inputs' talkers say.
  let writer: StreamWriter
  private let inputWriters: [StreamWriter]
  /// Beside the microphone; all begin at the same media time, and go on in step.
  let inputs: [FurtherInput]
  private let report: @Sendable (IntercomEvent) -> Void
  private var sampleRate = MediaClock.framesPerSecond
  private var rest = Rest.none
  /// Who needs what is captured, as of the last wake-up.
  private var (hasListeners, isUsed) = (false, true)
  private let microphone: Microphone
  /// Whom packets with sound are for.
  private var aim = TalkAim.everybody
  /// Whom they are for once so many more are sent: those hold what was captured before the keys changed.
  private var next: (aim: TalkAim, packets: Int)?
  /// Of the streams beside the base stream, those for these audiences are spoken to; nil: all.
  private var audiences: Set<Audience>?
  /// The lines that the keys talk to, as told last; nil: all, empty: none.
  private var asked: LineSet?
  /// What is done to the microphone before its gate.
  let voice: VoiceDesk

  init(
    engine: AudioEngine, microphone: Microphone, voice: VoiceDesk, outlet: PacketOutlet,
    protection: MediaProtection, pace: WorkPace, taps: Taps, talker: Talker,
    inputs: [FurtherInput] = [], report: @escaping @Sendable (IntercomEvent) -> Void
  ) {
    (self.report, self.protection, self.inputs) = (report, protection, inputs)
    (self.engine, self.outlet, self.pace, self.talker) = (engine, outlet, pace, talker)
    writer = StreamWriter(talker)
    inputWriters = inputs.map { StreamWriter($0.talker) }
    protection.base.writer = writer
    (self.microphone, self.voice) = (microphone, voice)
    source = CaptureSource(
      engine: engine, microphone: microphone, voice: voice, taps: taps, inputs: inputs,
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
      report(.audioFault(.cannotResample(sampleRate: sampleRate, error)))
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
      let isBusy =
        isUsed || microphone.isTalking || talker.isTalking || next != nil
        || inputs.contains(where: \.isBusy)
      rest = isBusy ? .none : .muted
    }
    guard rest != before else { return }
    if rest == .idle { voice.forgetMutedTalk() }
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
    pass(frames: passed + source.framesPerPacket)
  }

  /// Media time goes on for all sources alike.
  private func pass(frames: Int) {
    talker.pass(frames: frames)
    for input in inputs { input.talker.pass(frames: frames) }
  }

  /// The talk keys: opens or closes the microphone, faded, for these lines and audiences; closed, DTX falls silent by
  /// itself.
  ///
  /// What was captured up to now goes to whom it was said, and where a key opens, to both.
  ///
  /// - Parameters:
  ///   - lines: nil: for all; empty: for none.
  ///   - audiences: those of streams beside the base stream; nil: of all.
  func talk(to lines: LineSet?, audiences: Set<Audience>? = nil) {
    (asked, self.audiences) = (lines, audiences)
    let isOpen = lines.map { !$0.isEmpty } ?? true
    var wanted = TalkAim(lines: lines, streams: 0)
    for case let stream? in protection.streams where isOpen || audiences != nil {
      if speaks(to: stream) { wanted.insert(stream.number) }
    }
    let isOn = isOpen || wanted.streams != 0
    // Else who comes and goes on a line again and again would put off the end of what is still for two.
    let target = next?.aim ?? aim
    guard isOn != microphone.isTalking || isOn && wanted != target else { return followRest() }
    if isOn { endMutedRest() }
    if !isOn && microphone.isTalking { source.close() }
    let before = aim
    let isTail = microphone.isTalking || next != nil
    let waiting = isOn ? source.waitingPackets : source.passingPackets
    let isPress = isOn && !microphone.isTalking
    microphone.setTalk(isOn)
    if isPress { openGate(isTail: isTail) }
    // Closed, it is still for whom it was.
    if !isOn { wanted = target }
    next = nil
    if isTail, waiting > 0 {
      next = (wanted, waiting)
      take(before.union(wanted))
    } else {
      take(wanted)
    }
    followRest()
  }

  /// Before a gate opens: what was captured while it was closed is passed over, and nothing of what comes.
  private func endMutedRest() {
    guard rest == .muted else { return }
    passCaptured()
    rest = .none
    followWakeThreshold()
  }

  /// The microphone's, on what it heard just before, where that disturbs nothing that is sent.
  private func openGate(isTail: Bool) {
    var quietFrames: Int?
    if !isTail, !inputs.contains(where: \.isBusy) {
      quietFrames = inputs.map(\.talker.quietFrames).reduce(talker.quietFrames, min)
    }
    let frames = source.open(quietFrames: quietFrames)
    talker.turnBack(frames: frames)
    for input in inputs { input.talker.turnBack(frames: frames) }
    if source.looksBack { followWakeThreshold() }
  }

  /// The microphone's streams are others: whom the keys talk to may be among them now.
  func streamsChanged() { talk(to: asked, audiences: audiences) }

  private func speaks(to stream: OwnStream) -> Bool {
    stream.source == .microphone && stream.number != Talker.baseStream
      && audiences?.contains(Audience(octets: stream.audience.octets)) ?? true
  }

  private func take(_ aim: TalkAim) {
    self.aim = aim
    let isBase = aim.lines.map { !$0.isEmpty } ?? true
    talker.speak(isBase, to: Talker.baseStream)
    if isBase { talker.aim(Talker.baseStream, at: aim.lines) }
    for case let stream? in protection.streams where stream.number != Talker.baseStream {
      talker.speak(aim.contains(stream.number), to: stream.number)
    }
  }

  /// Members are on other lines than before.
  func linesChanged() {
    writer.linesChanged()
    for case let stream? in protection.streams {
      if let input = input(of: stream) {
        inputWriters[input.source - 1].linesChanged(of: stream.number)
      }
    }
  }

  /// Inputs are for these lines from now on, by name; for all members where nothing is said of one.
  func aimInputs(at lines: [String: LineSet]) {
    for input in inputs { input.aim(at: lines[input.settings.name]) }
    for case let stream? in protection.streams { input(of: stream)?.speak(to: stream.number) }
  }

  private func input(of stream: OwnStream) -> FurtherInput? {
    let place = stream.source.number - 1
    return inputs.indices.contains(place) ? inputs[place] : nil
  }

  /// Codes otherwise from the next frame on.
  func code(_ coding: VoiceCoding) {
    talker.aim(coding)
    for input in inputs { input.talker.aim(coding) }
    guard coding.framesPerPacket != source.framesPerPacket else { return }
    source.framesPerPacket = coding.framesPerPacket
    followWakeThreshold()
  }

  /// Whether frames are coded at the low rate too, as some recipe in use needs it.
  var codesLean: Bool {
    get { talker.codesLean }
    set {
      talker.codesLean = newValue
      for input in inputs { input.talker.codesLean = newValue }
    }
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
    let isFirst = source.looksBack
    defer { if isFirst { followWakeThreshold() } }
    while source.fillFrame() {
      let holeFrames = source.takeHoleFrames()
      if holeFrames > 0 { pass(frames: holeFrames) }
      if sendFrame(recipes, to: sessions) { isSending = true }
    }
    return isSending
  }

  /// Not before so much was captured: what is sent has to be as fresh as ever, or it would tell the others of a delay.
  private func sendMuted(_ recipes: [RepairRecipe], to sessions: [Session]) -> Bool {
    guard engine.captureAvailableFrames >= mutedFrames, let passed = source.fillNewestFrame()
    else { return false }
    pass(frames: passed)
    return sendFrame(recipes, to: sessions)
  }

  private func sendFrame(_ recipes: [RepairRecipe], to sessions: [Session]) -> Bool {
    let frame = source.frame
    defer { countDown() }
    var isSending = talker.encode(frame.span, isTransmitting: voice.isTransmitting)
    for input in inputs where input.encode() { isSending = true }
    guard isSending else { return false }
    for stream in protection.streams {
      // What guests say is sent as it comes.
      guard let stream, !stream.source.isGuest, let writer = stream.writer else { continue }
      writer.send(recipes, of: stream, to: sessions, by: outlet)
      guard stream.number == Talker.baseStream || input(of: stream) != nil else { continue }
      writer.sendNotice(of: stream, to: sessions, by: outlet)
    }
    pace.finish(.sending)
    return true
  }

  /// A codec frame less holds what was captured before the keys changed.
  private func countDown() {
    guard let (aim, packets) = next else { return }
    next = packets > 1 ? (aim, packets - 1) : nil
    if packets <= 1 { take(aim) }
  }

  /// What a source is called for who hears it, the microphone nothing; nil: there is none of that number.
  func name(ofSource number: Int) -> String? {
    if number == 0 { return "" }
    return inputs.indices.contains(number - 1) ? inputs[number - 1].settings.name : nil
  }

  /// How many streams with sound a session is sent now, at least one: the microphone's comes back at any time.
  ///
  /// One in stereo counts as two.
  func soundingStreams(to session: Session) -> Int {
    var count = 0
    for case let stream? in protection.streams
    where stream.writer?.sounds(stream, to: session) == true {
      count += input(of: stream)?.settings.channels ?? 1
    }
    return max(1, count)
  }

  /// Nil: a guest's, which is not captured.
  private func talker(of stream: OwnStream) -> Talker? {
    stream.source.number == 0 ? talker : input(of: stream)?.talker
  }

  /// Sends a source to one more audience, the microphone at once where that is talked to; false: there is no such
  /// source, or the number or the SSRC is in use.
  func open(_ stream: OwnStream, firstSequenceNumber: SequenceNumber) -> Bool {
    let source = stream.source.number
    guard let talker = talker(of: stream),
      talker.open(stream.number, ssrc: stream.ssrc, firstSequenceNumber: firstSequenceNumber)
    else { return false }
    stream.writer = source == 0 ? writer : inputWriters[source - 1]
    if let input = input(of: stream) {
      input.speak(to: stream.number)
      return true
    }
    let isSpeaking = speaks(to: stream)
    aim.set(stream.number, isSpeaking)
    next?.aim.set(stream.number, isSpeaking)
    talker.speak(isSpeaking, to: stream.number)
    return true
  }

  /// Does so no more.
  func close(_ stream: OwnStream) {
    talker(of: stream)?.close(stream.number)
    aim.set(stream.number, false)
    next?.aim.set(stream.number, false)
  }

  /// The input of a name.
  func input(named name: String) throws(IntercomError) -> FurtherInput {
    guard let input = inputs.first(where: { $0.settings.name == name }) else {
      throw .unknownPatch("input", name, known: inputs.map(\.settings.name))
    }
    return input
  }

  /// Lets others hear an input, or not; faded.
  func setInput(_ name: String, isOn: Bool) throws(IntercomError) {
    let input = try input(named: name)
    if isOn { endMutedRest() }
    input.turn(on: isOn)
    followRest()
  }
}

/// Whom the microphone is for.
struct TalkAim: Equatable {
  /// All who have the base stream, and all streams beside it.
  static let everybody = TalkAim(lines: nil, streams: 0)

  /// Lines of the base stream; nil: all, empty: none.
  var lines: LineSet?
  /// Bit n: stream n, of those beside the base stream.
  private(set) var streams: UInt32

  /// These lines and streams.
  init(lines: LineSet?, streams: UInt32) { (self.lines, self.streams) = (lines, streams) }

  /// Whether a stream beside the base stream is among them.
  func contains(_ number: Int) -> Bool { streams & 1 << UInt32(number) != 0 }

  /// A stream is among them.
  mutating func insert(_ number: Int) { streams |= 1 << UInt32(number) }

  /// A stream is among them, or not.
  mutating func set(_ number: Int, _ isIn: Bool) {
    if isIn { insert(number) } else { streams &= ~(1 << UInt32(number)) }
  }

  /// All who are in one or the other.
  func union(_ other: TalkAim) -> TalkAim {
    var lines: LineSet?
    if let one = self.lines, let two = other.lines { lines = one.union(two) }
    return TalkAim(lines: lines, streams: streams | other.streams)
  }
}
