import Audio
import Glibc
import Media
import RTP

/// An input beside the microphone: a programme, or the way in of a four-wire line.
///
/// It is captured with the microphone, passes neither the voice chain nor a talk key, and is sent as a stream of its
/// own while it is on, to all members or to those on some lines; one of two channels is sent in stereo.
///
/// Loop thread only; allocates in `init` and when JACK's rate changes.
final class FurtherInput {
  /// Of the level that is shown, 300 ms.
  private static let levelFrames: Float = 14_400

  private(set) var settings: InputSettings
  /// As members know it: 1 is the first, as 0 is the microphone.
  let source: Int
  /// Codes it and makes the packets of its streams.
  let talker: Talker
  /// Of this node's lines those that it is for; nil: all members, whatever lines they are on; empty: nobody.
  private(set) var lines: LineSet?
  /// The mean square of what came in lately, whether it is on or not.
  private(set) var meanSquare: Float = 0
  private let firstChannel: Int
  private var ways: [InputWay]
  /// The next codec frame; of two channels left and right by turns.
  private var frame: [Float]

  /// An input that is on; its first channel is that of a captured frame.
  init(_ settings: InputSettings, source: Int, firstChannel: Int, talker: Talker) {
    (self.settings, self.source, self.firstChannel) = (settings, source, firstChannel)
    self.talker = talker
    // One that is for some lines is for nobody until it is known who is on them.
    lines = settings.lines.isEmpty ? nil : []
    ways = (0..<settings.channels).map { _ in InputWay() }
    frame = [Float](repeating: 0, count: talker.framesPerPacket * settings.channels)
  }

  /// All of a node, that are sent as the microphone is; `encoders` has those of each.
  static func all(
    _ settings: [InputSettings], _ coding: TalkerConfiguration, _ encoders: [TalkerEncoders]
  ) -> [FurtherInput] {
    var coding = coding
    // Their streams are opened, as any that is not for reports.
    coding.ssrc = nil
    var inputs: [FurtherInput] = []
    var channel = AudioEngine.CaptureChannel.inputs
    for (settings, encoders) in zip(settings, encoders) {
      coding.channels = settings.channels
      inputs.append(
        FurtherInput(
          settings, source: inputs.count + 1, firstChannel: channel,
          talker: Talker(configuration: coding, encoders: encoders)))
      channel += settings.channels
    }
    return inputs
  }

  /// Whether it is heard by others.
  var isOn: Bool { settings.isOn }

  /// Lets others hear it, or not; faded.
  func turn(on isOn: Bool) { settings.isOn = isOn }

  /// Takes the names of the lines that it is for, as they are shown and kept; none: all members.
  func take(lines: [String]) { settings.lines = lines }

  /// Is for these of this node's lines from now on; nil: for all members.
  func aim(at lines: LineSet?) { self.lines = lines }

  /// Sends one of its streams to its lines.
  func speak(to number: Int) {
    talker.speak(lines?.isEmpty != true, to: number)
    talker.aim(number, at: lines)
  }

  /// Whether others are sent it, and there is something to hear.
  var isHeard: Bool { talker.isTalking && lines?.isEmpty != true }

  /// Follows JACK's sample rate; nil: it is the codec's.
  func setResampling(ratio: Double?) throws(AudioError) {
    for index in ways.indices { try ways[index].setResampling(ratio: ratio) }
  }

  /// The microphone's next codec frame begins so many frames at 48 kHz earlier, while this is silent.
  func wait(frames: Int) { for index in ways.indices { ways[index].wait(frames: frames) } }

  /// What was captured is history.
  func discard() { for index in ways.indices { ways[index].discard() } }

  /// Takes its channels of captured frames.
  func take(_ samples: borrowing [Float], frames: Int, channels: Int, sampleRate: Int) {
    var sum: Float = 0
    for index in ways.indices {
      sum += ways[index].take(
        samples, from: firstChannel + index, of: channels, frames: frames, isOpen: isOn,
        sampleRate: sampleRate)
    }
    let share = min(1, Float(frames) / Self.levelFrames)
    meanSquare += (sum / Float(max(frames * ways.count, 1)) - meanSquare) * share
  }

  /// The oldest codec frame is to be sent next; what is missing of it is silent.
  func fillFrame() {
    let count = talker.framesPerPacket * ways.count
    if frame.count != count { frame = [Float](repeating: 0, count: count) }
    for index in ways.indices { ways[index].fill(&frame, from: index, each: ways.count) }
  }

  /// Codes the frame; false: there is nothing to send of it.
  func encode() -> Bool {
    let frame = frame
    return talker.encode(frame.span)
  }

  /// Whether it has to be looked at.
  var isBusy: Bool { isOn || talker.isTalking }

  /// For display, dBFS.
  var levelDBFS: Float { meanSquare > 0 ? 10 * log10(meanSquare) : -.infinity }
}

/// One channel of an input on its way from the captured frames to codec frames; those of an input go in step.
private struct InputWay {
  private static let longestFrames = 2880

  private var gate = TalkGate()
  /// At JACK's rate, as it is read.
  private var chunk = [Float](repeating: 0, count: longestFrames)
  private var converted = [Float](repeating: 0, count: CaptureSource.mostConvertedFrames)
  /// At 48 kHz, for codec frames to come.
  private var pending = [Float](
    repeating: 0, count: 2 * longestFrames + CaptureSource.mostConvertedFrames)
  private var pendingCount = 0
  private var resampler: Resampler?

  /// Follows JACK's sample rate; nil: it is the codec's.
  mutating func setResampling(ratio: Double?) throws(AudioError) {
    resampler = try ratio.map { ratio throws(AudioError) in try Resampler(ratio: ratio) }
    pendingCount = 0
  }

  /// What was captured is history.
  mutating func discard() {
    pendingCount = 0
    resampler?.reset()
  }

  /// So much silence comes with what is pending, which is silent.
  mutating func wait(frames: Int) {
    let fitting = max(0, min(frames, pending.count - pendingCount))
    for index in 0..<fitting { pending[pendingCount + index] = 0 }
    pendingCount += fitting
  }

  /// Takes one sample of each captured frame; returns the sum of their squares, before the gate.
  mutating func take(
    _ samples: borrowing [Float], from first: Int, of channels: Int, frames: Int, isOpen: Bool,
    sampleRate: Int
  ) -> Float {
    var sum: Float = 0
    for index in 0..<frames {
      chunk[index] = samples[index * channels + first]
      sum += chunk[index] * chunk[index]
    }
    var gate = gate
    gate.isOpen = isOpen
    var span = chunk.mutableSpan
    var heard = span._mutatingExtracting(..<frames)
    gate.apply(to: &heard, sampleRate: sampleRate)
    self.gate = gate
    convert(frames: frames)
    return sum
  }

  private mutating func convert(frames: Int) {
    guard let resampler else { return append(chunk, frames) }
    var consumed = 0
    while consumed < frames {
      let captured = chunk
      var output = converted.mutableSpan
      let step = resampler.process(captured.span.extracting(consumed..<frames), into: &output)
      consumed += step.consumed
      append(converted, step.produced)
      guard step.consumed > 0 || step.produced > 0 else { break }
    }
  }

  /// What does not fit is dropped: nobody took the frames before.
  private mutating func append(_ frames: [Float], _ count: Int) {
    let fitting = max(0, min(count, pending.count - pendingCount))
    for index in 0..<fitting { pending[pendingCount + index] = frames[index] }
    pendingCount += fitting
  }

  /// Fills every so manieth sample with what is oldest; what is missing is silent.
  mutating func fill(_ frame: inout [Float], from first: Int, each step: Int) {
    let wanted = frame.count / step
    let taken = min(wanted, pendingCount)
    for index in 0..<taken { frame[first + index * step] = pending[index] }
    for index in taken..<wanted { frame[first + index * step] = 0 }
    for index in taken..<pendingCount { pending[index - taken] = pending[index] }
    pendingCount -= taken
  }
}

/// An input beside the microphone, as the user wants it.
public struct InputSettings: Hashable, Sendable {
  /// What it is called here and by those who hear it.
  public var name: String
  /// Its JACK ports, one or two.
  public var ports: [String]
  /// Whether others are sent it.
  public var isOn = true
  /// The lines that it is for; none: all members, whatever lines they are on.
  public var lines: [String] = []
  /// What the configuration says of it.
  public var configured = ""

  /// An input of these ports.
  public init(name: String, ports: [String]) { (self.name, self.ports) = (name, ports) }

  /// Samples that it has in a captured frame.
  public var channels: Int { ports.count }
}

extension TalkerConfiguration {
  /// Of the microphone's stream; where its numbers begin must not be guessed.
  init(
    of ssrc: SSRC, framesPerPacket: Int, using random: inout any RandomNumberGenerator
  ) {
    self.init(
      ssrc: ssrc, payloadType: PayloadType.opus, redundantPayloadType: PayloadType.redundant,
      resentPayloadType: PayloadType.resent, framesPerPacket: framesPerPacket,
      firstSequenceNumber: SequenceNumber(rawValue: UInt16(truncatingIfNeeded: random.next())),
      firstTimestamp: RTPTimestamp(rawValue: UInt32(truncatingIfNeeded: random.next())),
      usesDTX: true)
  }
}
