/// How a talker's frames are coded, for all its receivers.
public struct VoiceCoding: Hashable, Sendable {
  /// Audio in a packet: one of `TalkerConfiguration.supportedFramesPerPacket`.
  public var framesPerPacket: Int
  /// The encoder's target.
  public var bitsPerSecond: Int
  /// Whether by the codec's speech mode, up to 8 kHz: best where bits are scarce, and a little later.
  public var isSpeech: Bool
  /// Loss that in-band FEC is made for, percent, at the cost of the primary's quality; 0: no FEC.
  public var expectedLossPercent: Int

  /// Makes a coding.
  public init(
    framesPerPacket: Int, bitsPerSecond: Int, isSpeech: Bool = false, expectedLossPercent: Int = 0
  ) {
    self.framesPerPacket = framesPerPacket
    self.bitsPerSecond = bitsPerSecond
    self.isSpeech = isSpeech
    self.expectedLossPercent = expectedLossPercent
  }

  /// Bit rate of low-rate copies, and of primaries where the bit rate allows no more.
  ///
  /// In trials with PESQ 16 kbit/s beside 32 kept 4.10 of 4.26 at 5 % lost, in packets of 10 ms. Shorter ones need more
  /// to be worth it: of 5 ms PESQ-WB is 2.34 at 16 kbit/s, 3.91 at 32 and 4.39 at 48; of 2.5 ms 3.19 at 48 and 4.37 at
  /// 64. In the speech mode it is 3.5 at 12 in packets of 20 ms and more.
  public var leanBitsPerSecond: Int {
    let worthwhile =
      switch framesPerPacket {
      case ..<240: 64_000
      case ..<480: 32_000
      case 960... where isSpeech: 12_000
      default: 16_000
      }
    return min(worthwhile, bitsPerSecond)
  }

  /// The bit rates at which in-band FEC works, the best first.
  ///
  /// Below, libopus makes none or keeps the voice to a telephone's spectrum; above, copies are better.
  static let ratesWithFEC = [28_000, 24_000, 22_000, 20_000]

  /// Whether packets have in-band FEC.
  public var hasFEC: Bool { expectedLossPercent > 0 }

  /// What the frames take with the leanest copy that helps, and its headers: below that what is lost stays lost where
  /// nobody can ask in time.
  public var repairedBitsPerSecond: Int {
    RepairRecipe(copies: .lean, nearDistance: 1).bitsPerSecond(
      full: bitsPerSecond, lean: leanBitsPerSecond, framesPerPacket: framesPerPacket)
  }

  /// Whether only the bit rate is another, or what it is spent on, which nobody hears as such.
  public func differsInRateOnly(from other: VoiceCoding) -> Bool {
    framesPerPacket == other.framesPerPacket && isSpeech == other.isSpeech && self != other
  }
}

/// Voice activity detection by level, and by a VOX where there is one.
///
/// DTX and the voice flag of RTP (RFC 6464 §3) both are what it says.
///
/// States: talking, hanging over (level is low, but has not been for long), quiet. A frame at or
/// above the threshold leads to talking from everywhere; `hangOverFrames` of low level in a row
/// lead to quiet, and so does a VOX that shuts.
///
/// Constants: -65 dBov lies above the noise of a decent preamplifier with an open microphone in a
/// booth (about -75) and below breathing; a noisy hall never gets quiet, which is what listeners
/// expect of it. 300 ms spans the closures inside words and most gaps between them, so pauses are
/// pauses of speech, not holes in it.
struct VoiceActivity {
  /// Mean square of -65 dBov.
  static let thresholdMeanSquare: Float = 3.162_278e-7
  /// 300 ms.
  static let hangOverFrames = 14_400

  private var lowFrames = hangOverFrames
  private var wasOpen = false

  /// False once the level has been low for the hang-over.
  var isTalking: Bool { lowFrames < Self.hangOverFrames }

  /// Takes the next frames' power.
  ///
  /// What a VOX lets out is voice however low it is, and ends with it, which has a hold of its own. What is loud while
  /// it is shut is not the microphone's.
  ///
  /// - Parameter isOpen: whether a VOX lets out what it hears; nil: there is none.
  mutating func observe(meanSquare: Float, frames: Int, isOpen: Bool? = nil) {
    let isLoud = meanSquare >= Self.thresholdMeanSquare || isOpen == true && meanSquare > 0
    observe(isLoud: isLoud, frames: frames)
    if wasOpen, isOpen == false, !isLoud { lowFrames = Self.hangOverFrames }
    wasOpen = isOpen == true
  }

  /// Takes whether there is something in the next frames.
  mutating func observe(isLoud: Bool, frames: Int) {
    if isLoud {
      lowFrames = 0
    } else {
      lowFrames = min(lowFrames + frames, Self.hangOverFrames)
    }
  }
}
