import Media
import Voice

/// What is done to the microphone before any key: the chain, remade where JACK runs at another rate.
///
/// Loop thread only.
final class VoiceDesk {
  private static let bypassFadeSeconds: Float = 0.02

  private var chain: VoiceChain
  private let framesPerPacket: Int
  /// What the main bus played, where the chain makes use of it.
  private var left = [Float](repeating: 0, count: CaptureSource.longestFrames)
  private var right = [Float](repeating: 0, count: CaptureSource.longestFrames)
  private var mutedTalk = MutedTalk()
  /// Whether the microphone is sent as it is, while the engines go on listening; it fades from one to the other.
  var isBypassed = false
  private var untreated = [Float](repeating: 0, count: CaptureSource.longestFrames)
  /// How much of what comes out is untreated, 0…1.
  private var bypassed: Float = 0

  /// - Parameter framesPerPacket: at 48 kHz; none that are read are shorter.
  init(_ settings: VoiceSettings, framesPerPacket: Int) {
    self.framesPerPacket = framesPerPacket
    chain = VoiceChain(
      settings, format: Self.format(MediaClock.framesPerSecond, framesPerPacket: framesPerPacket))
  }

  /// What a change has to be made from, and for.
  var basis: (settings: VoiceSettings, format: VoiceFormat) { (chain.settings, chain.format) }

  /// What the voice is changed into, in words; empty: nothing.
  var effect: String { chain.effect?.text ?? "" }

  /// Whether a VOX lets the voice out; nil: none decides.
  var isTransmitting: Bool? { isBypassed || bypassed > 0 ? nil : chain.isTransmitting }

  /// How late it makes the microphone, in frames at JACK's rate.
  var delayFrames: Int { isBypassed ? 0 : chainDelayFrames }

  /// Whether an engine takes the microphone in blocks, which are less late where all that is read at once is a multiple
  /// of a codec frame.
  var takesBlocks: Bool { chain.takesBlocks }

  private var chainDelayFrames: Int {
    Int(chain.delayMilliseconds * Double(chain.format.sampleRate) / 1000)
  }

  /// Treats what was read of the microphone.
  ///
  /// - Parameters:
  ///   - captured: the frames that it was read from, of so many channels: the last two are the main bus.
  ///   - isTalking: whether a talk key is open.
  func process(
    _ frames: inout MutableSpan<Float>, captured: Span<Float>, channels: Int, isTalking: Bool
  ) {
    var played = 0
    if chain.hearsLoudspeakers {
      played = min(frames.count, left.count)
      var place = channels - 2
      for index in 0..<played {
        (left[index], right[index]) = (captured[place], captured[place + 1])
        place += channels
      }
    }
    let isMixing = isBypassed || bypassed > 0
    if isMixing { for index in 0..<frames.count { untreated[index] = frames[index] } }
    let (left, right) = (left, right)
    chain.process(
      &frames, left: left.span.extracting(..<played), right: right.span.extracting(..<played))
    if isMixing { mixUntreated(into: &frames) }
    guard !isTalking else { return forgetMutedTalk() }
    mutedTalk.pass(
      frames.count, isSpeech: chain.hearsSpeech == true, sampleRate: chain.format.sampleRate)
  }

  private func mixUntreated(into frames: inout MutableSpan<Float>) {
    let step = 1 / (Self.bypassFadeSeconds * Float(chain.format.sampleRate))
    for index in 0..<frames.count {
      bypassed = isBypassed ? min(1, bypassed + step) : max(0, bypassed - step)
      let share = bypassed * bypassed * (3 - 2 * bypassed)
      frames[index] += share * (untreated[index] - frames[index])
    }
  }

  /// Nobody speaks unheard: a key is open, or nobody looks at the microphone.
  func forgetMutedTalk() { mutedTalk = MutedTalk() }

  /// Follows JACK's sample rate; allocates only when it changed.
  func setRate(_ sampleRate: Int) {
    guard sampleRate != chain.format.sampleRate else { return }
    chain = VoiceChain(
      chain.settings, format: Self.format(sampleRate, framesPerPacket: framesPerPacket))
  }

  /// Changes what is done; false: it was changed meanwhile.
  func apply(_ change: VoiceChange) -> Bool { chain.apply(change) }

  /// For display.
  var snapshot: StationSnapshot.Voice {
    StationSnapshot.Voice(
      settings: chain.settings, delayMilliseconds: chain.delayMilliseconds,
      isEchoFound: chain.isEchoFound, echoEngine: chain.echoEngine,
      hearsSpeech: chain.hearsSpeech,
      gainDecibels: chain.automaticGainDecibels, isTransmitting: chain.isTransmitting,
      isTalkingMuted: chain.hearsSpeech.map { _ in mutedTalk.isTold }, problem: chain.problem)
  }

  /// At 48 kHz codec frames are read, otherwise what the resampler takes at once.
  private static func format(_ sampleRate: Int, framesPerPacket: Int) -> VoiceFormat {
    let isCodecRate = sampleRate == MediaClock.framesPerSecond
    return VoiceFormat(sampleRate: sampleRate, frameFrames: isCodecRate ? framesPerPacket : 1)
  }
}

/// Notices who speaks while no talk key is open: told after half a second of speech, until there was none for two.
struct MutedTalk {
  private static let (tellMilliseconds, forgetMilliseconds) = (500, 2000)

  /// Whether to tell the user.
  private(set) var isTold = false
  private var spokenFrames = 0
  private var silentFrames = 0

  /// So many frames passed while no talk key was open.
  mutating func pass(_ frames: Int, isSpeech: Bool, sampleRate: Int) {
    if isSpeech {
      (spokenFrames, silentFrames) = (spokenFrames + frames, 0)
    } else {
      silentFrames += frames
    }
    if silentFrames * 1000 >= Self.forgetMilliseconds * sampleRate {
      (isTold, spokenFrames, silentFrames) = (false, 0, 0)
    } else if spokenFrames * 1000 >= Self.tellMilliseconds * sampleRate {
      isTold = true
    }
  }
}
