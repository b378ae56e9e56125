public import Media
public import RTP

/// A talker, a link, a peer stream and the ring behind it, beat by beat in virtual time.
///
/// Port time as JACK has it: what is captured in a period is there at the period's beginning, as is
/// its output asked for; so the delay measured here is mouth to ear less the two periods.
public final class StreamScenario {
  /// What one render that decoded something showed.
  public struct Observation: Sendable {
    /// The beat before which it was rendered.
    public let beatNanoseconds: Int64
    /// From the first decoded frame's being captured to its being heard.
    public let delayNanoseconds: Int64
  }

  /// The machines.
  public let settings: ScenarioSettings
  /// The receiver.
  public let stream: PeerStream
  /// Its decoder.
  public let decoder = ToneCodec.Decoder()
  /// The link.
  public var link: VirtualLink
  /// When the stream took note of a step of the path's delay.
  public private(set) var stepMoments: [Int64] = []
  /// Delays, render by render.
  public private(set) var observations: [Observation] = []
  /// Whether delays are observed; an hour of them is much.
  public var observes = true
  /// What was heard, if recorded.
  public private(set) var output: [Float] = []
  /// The same of the side, of a stream with two channels.
  public private(set) var sideOutput: [Float] = []
  /// What was heard, as a tone.
  public private(set) var meter: ToneMeter
  /// Periods that began with too little to play while the stream played.
  public private(set) var underruns = 0
  /// Packets that were under way when their sender started anew: overtaken by the new ones they count
  /// as lost.
  public private(set) var outdatedCount = 0
  /// The largest difference of neighbouring frames heard; may be set back to 0.
  public var greatestStep: Float = 0
  /// The receiver's time: its next beat.
  public private(set) var clock = VirtualClock()

  private var sender: ScenarioSender
  private var random: SplitMix64
  private var ring: [Float] = []
  private var sideRing: [Float] = []
  private var rendered = [Float](repeating: 0, count: PeerStream.maximumRenderFrames)
  private var lastFrame: Float = 0
  private var nextBeatNanoseconds = 0.0
  private var beatFrames: Int64 = 0
  private let periodNanoseconds: Double

  /// Sets up both machines; nothing has happened yet.
  public init(
    _ settings: ScenarioSettings, resampler: any FrameResampler = LinearResampler()
  ) {
    self.settings = settings
    stream = PeerStream(
      configuration: settings.stream, decoder: decoder, resampler: resampler)
    stream.deviceRate = settings.receiverRate
    meter = ToneMeter(rate: settings.receiverRate)
    link = VirtualLink(model: settings.link, seed: settings.seed)
    sender = ScenarioSender(settings)
    random = SplitMix64(seed: ~settings.seed)
    periodNanoseconds = settings.periodNanoseconds(
      rate: settings.receiverRate, driftPPM: settings.receiverDriftPPM)
    sender.isRunning = settings.talks
  }

  /// The talker's counters.
  public var talkerCounters: TalkerCounters { sender.counters }

  /// Speech or silence at the sender's microphone.
  public func setAmplitude(_ amplitude: Float) { sender.amplitude = amplitude }

  /// Turns the sending machine on or off.
  public func setSenderRunning(_ isRunning: Bool) { sender.isRunning = isRunning }

  /// Packets of another length from now on.
  public func change(framesPerPacket: Int) { sender.change(framesPerPacket: framesPerPacket) }

  /// Says that packets have two channels from now on, or one.
  public func setStereo(_ isStereo: Bool) { sender.setStereo(isStereo) }

  /// Lets the sender's encoder fail or work.
  public func setEncoderFailing(_ isFailing: Bool) { sender.setEncoderFailing(isFailing) }

  /// The sender's clock runs faster or slower from now on.
  public func setSenderDrift(ppm: Double) { sender.setDrift(ppm: ppm) }

  /// An xrun at the sender.
  public func skipSenderPeriods(_ periods: Int) { sender.skip(periods: periods) }

  /// An xrun at the receiver: nothing is pulled or rendered for some periods.
  public func skipReceiverPeriods(_ periods: Int) {
    nextBeatNanoseconds += Double(periods) * periodNanoseconds
    clock.advance(to: Int64(nextBeatNanoseconds))
  }

  /// The sending process starts anew with random numbers.
  public func restartSender(ssrc: SSRC? = nil) {
    outdatedCount += link.underWayCount
    sender.restart(ssrc: ssrc ?? settings.ssrc, random: &random)
  }

  /// Lets time pass.
  public func run(milliseconds: Int) {
    let end = clock.nowNanoseconds + Int64(milliseconds) * 1_000_000
    while clock.nowNanoseconds < end { beat() }
  }

  /// Delays observed since a moment, ascending.
  public func delays(sinceNanoseconds start: Int64) -> [Int64] {
    observations.filter { $0.beatNanoseconds >= start }.map(\.delayNanoseconds).sorted()
  }

  /// The median delay of the last so many milliseconds.
  public func medianDelayNanoseconds(lastMilliseconds: Int) -> Int64 {
    let all = delays(sinceNanoseconds: clock.nowNanoseconds - Int64(lastMilliseconds) * 1_000_000)
    return all.isEmpty ? -1 : all[all.count / 2]
  }

  private func beat() {
    let beat = clock.nowNanoseconds
    let due = beat - settings.leadNanoseconds
    while sender.nextBeatNanoseconds <= due { sender.beat(onto: &link) }
    while let delivery = link.receive(byNanoseconds: due) { receive(delivery) }
    if settings.tellsGrid {
      stream.grid = PlayoutGrid(
        beatNanoseconds: beat, beatFrames: beatFrames,
        periodNanoseconds: duration(frames: settings.periodFrames),
        leadNanoseconds: settings.leadNanoseconds)
    }
    render(beat: beat, due: due)
    pull()
    nextBeatNanoseconds += periodNanoseconds
    beatFrames += Int64(settings.periodFrames)
    clock.advance(to: Int64(nextBeatNanoseconds))
  }

  private func receive(_ delivery: VirtualLink.Delivery) {
    let bytes = unsafe delivery.bytes.span.bytes
    guard let packet = try? RTPPacket(parsing: bytes) else { return }
    let steps = stream.statistics.delaySteps
    stream.receive(packet, bytes: bytes, arrivalNanoseconds: delivery.arrivalNanoseconds)
    if stream.statistics.delaySteps != steps { stepMoments.append(clock.nowNanoseconds) }
  }

  private func render(beat: Int64, due: Int64) {
    while ring.count < settings.periodFrames {
      let playout = beat + duration(frames: ring.count)
      decoder.mark()
      let cuts = cutCount
      var pcm = rendered.mutableSpan
      let frames = stream.render(into: &pcm, dueNanoseconds: due, playoutNanoseconds: playout)
      if frames == 0 { break }
      ring.append(contentsOf: rendered[..<frames])
      if stream.takesSide { appendSide(frames) }
      if observes, cuts == cutCount, let capture = decoder.captureNanoseconds {
        observations.append(
          Observation(beatNanoseconds: beat, delayNanoseconds: playout - capture))
      }
    }
  }

  private func appendSide(_ frames: Int) {
    var side = [Float](repeating: 0, count: frames)
    var span = side.mutableSpan
    if stream.hasSide { stream.writeSide(into: &span) }
    sideRing.append(contentsOf: side)
  }

  /// How often something was taken out: then what was decoded first need not be what is heard first.
  private var cutCount: Int {
    let statistics = stream.statistics
    return statistics.jumps + statistics.removals
  }

  private func duration(frames: Int) -> Int64 {
    Int64(frames) * 1_000_000_000 / Int64(settings.receiverRate)
  }

  private func pull() {
    let missing = settings.periodFrames - ring.count
    if missing > 0 {
      if stream.isSounding { underruns += 1 }
      ring.append(contentsOf: repeatElement(0, count: missing))
    }
    for frame in ring[..<settings.periodFrames] {
      greatestStep = max(greatestStep, abs(frame - lastFrame))
      lastFrame = frame
      meter.add(frame)
    }
    if settings.recordsOutput { output.append(contentsOf: ring[..<settings.periodFrames]) }
    ring.removeFirst(settings.periodFrames)
    guard stream.takesSide else { return }
    sideRing.append(
      contentsOf: repeatElement(0, count: max(0, settings.periodFrames - sideRing.count)))
    if settings.recordsOutput { sideOutput.append(contentsOf: sideRing[..<settings.periodFrames]) }
    sideRing.removeFirst(settings.periodFrames)
  }
}
