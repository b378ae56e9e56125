import Media
import Voice

/// What is done to the microphone before any key: the chain, remade where JACK runs at another rate.
///
/// Loop thread only.
final class VoiceDesk {
  private var chain: VoiceChain
  private let framesPerPacket: Int

  /// - Parameter framesPerPacket: at 48 kHz; none that are read are shorter.
  init(_ settings: VoiceSettings, framesPerPacket: Int) {
    self.framesPerPacket = framesPerPacket
    chain = VoiceChain(
      settings, format: Self.format(MediaClock.framesPerSecond, framesPerPacket: framesPerPacket))
  }

  /// What a change has to be made from, and for.
  var basis: (settings: VoiceSettings, format: VoiceFormat) { (chain.settings, chain.format) }

  /// How late it makes the microphone, in frames at JACK's rate.
  var delayFrames: Int { Int(chain.delayMilliseconds * Double(chain.format.sampleRate) / 1000) }

  /// Treats what was read of the microphone.
  func process(_ frames: inout MutableSpan<Float>) { chain.process(&frames) }

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
      hearsSpeech: chain.hearsSpeech, gainDecibels: chain.automaticGainDecibels,
      isTransmitting: chain.isTransmitting, problem: chain.problem)
  }

  /// At 48 kHz codec frames are read, otherwise what the resampler takes at once.
  private static func format(_ sampleRate: Int, framesPerPacket: Int) -> VoiceFormat {
    let isCodecRate = sampleRate == MediaClock.framesPerSecond
    return VoiceFormat(sampleRate: sampleRate, frameFrames: isCodecRate ? framesPerPacket : 1)
  }
}
