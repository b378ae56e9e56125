import Media
import RTP

/// The talking machine: beats, a tone, a talker, packets onto the link.
struct ScenarioSender {
  private let settings: ScenarioSettings
  private var periodNanoseconds: Double
  private var beatNanosecondsExact: Double
  private var encoder = ToneCodec.Encoder()
  private var talker: Talker
  private var codecFrame: [Float] = []
  private var codecFrameNanoseconds: Int64 = 0
  private var toneIndex: Int64 = 0
  private var wantedFrames: Int?

  /// What the microphone hears.
  var amplitude: Float
  /// Whether the machine is on; off, only time passes.
  var isRunning = true
  var counters: TalkerCounters { talker.counters }
  var nextBeatNanoseconds: Int64 { Int64(beatNanosecondsExact) }

  init(_ settings: ScenarioSettings) {
    self.settings = settings
    periodNanoseconds = settings.periodNanoseconds(driftPPM: settings.senderDriftPPM)
    beatNanosecondsExact = Double(settings.senderPhaseNanoseconds)
    amplitude = settings.amplitude
    talker = Self.makeTalker(
      settings, ssrc: settings.ssrc, settings.firstSequenceNumber, settings.firstTimestamp, encoder)
  }

  /// A new process on the machine: new numbers, and perhaps a new SSRC.
  mutating func restart(ssrc: SSRC, random: inout SplitMix64) {
    codecFrame.removeAll(keepingCapacity: true)
    talker = Self.makeTalker(
      settings, ssrc: ssrc, SequenceNumber(rawValue: UInt16.random(in: 0 ... .max, using: &random)),
      RTPTimestamp(rawValue: UInt32.random(in: 0 ... .max, using: &random)), encoder)
  }

  /// Periods that never happen: the device restarts, what it heard meanwhile is lost.
  mutating func skip(periods: Int) { beatNanosecondsExact += Double(periods) * periodNanoseconds }

  /// The clock runs faster or slower from now on.
  mutating func setDrift(ppm: Double) {
    periodNanoseconds = settings.periodNanoseconds(driftPPM: ppm)
  }

  /// Packets of another length, from the next one that begins on.
  mutating func change(framesPerPacket: Int) { wantedFrames = framesPerPacket }

  /// Says that packets have two channels, or one.
  func setStereo(_ isStereo: Bool) { encoder.isStereo = isStereo }

  /// Makes the encoder fail or work.
  func setEncoderFailing(_ isFailing: Bool) { encoder.isFailing = isFailing }

  /// The next beat.
  mutating func beat(onto link: inout VirtualLink) {
    let beat = nextBeatNanoseconds
    for frame in 0..<(isRunning ? settings.periodFrames : 0) {
      if codecFrame.isEmpty {
        if let wantedFrames {
          talker.aim(VoiceCoding(framesPerPacket: wantedFrames, bitsPerSecond: 64_000))
        }
        wantedFrames = nil
        encoder.nextIndex = toneIndex
        codecFrameNanoseconds = beat + Int64(frame) * 62_500 / 3
      }
      codecFrame.append(amplitude * ToneCodec.tone(at: toneIndex))
      toneIndex += 1
      if codecFrame.count == talker.framesPerPacket { send(at: beat, onto: &link) }
    }
    beatNanosecondsExact += periodNanoseconds
  }

  private mutating func send(at beat: Int64, onto link: inout VirtualLink) {
    encoder.captureNanoseconds = codecFrameNanoseconds
    var datagram = [UInt8](repeating: 0, count: 1200)
    var octets = datagram.mutableSpan
    var bytes = unsafe octets.mutableBytes
    let count = talker.encode(codecFrame.span, into: &bytes)
    codecFrame.removeAll(keepingCapacity: true)
    guard count > 0 else { return }
    link.send(
      Array(datagram[..<count]), atNanoseconds: beat + settings.processingNanoseconds)
  }

  private static func makeTalker(
    _ settings: ScenarioSettings, ssrc: SSRC, _ sequence: SequenceNumber, _ timestamp: RTPTimestamp,
    _ encoder: ToneCodec.Encoder
  ) -> Talker {
    Talker(
      configuration: TalkerConfiguration(
        ssrc: ssrc, framesPerPacket: settings.framesPerPacket, firstSequenceNumber: sequence,
        firstTimestamp: timestamp, usesDTX: settings.usesDTX),
      encoder: encoder)
  }
}
