public import Audio
public import Voice

/// A set of default settings for a kind of place.
///
/// The one table of them: the daemon's `--profile` takes them as defaults,
/// and so do the calls of `./dev bench quality`.
public enum Profile: String, CaseIterable, Sendable {
  /// Wired and close by: least delay.
  case stage
  /// Radio: bits are spent on copies rather than on the voice itself.
  case wifi
  /// Battery and scarce bits: long packets, half the spectrum, least work.
  case saver

  /// The settings of a profile.
  public struct Settings: Hashable, Sendable {
    /// Frames at 48 kHz in each packet.
    public var framesPerPacket: Int
    /// Opus' target.
    public var bitsPerSecond: Int
    /// Most payload bits a second for one peer, copies and RTX included.
    public var mostBitsPerSecond: Int
    /// Opus' mode.
    public var application: OpusApplication
    /// Complexity of the Opus encoder, 0…10.
    public var complexity: Int
    /// Audio bandwidth.
    public var bandwidth: OpusBandwidth
    /// Share of packets that may arrive too late for the automatic playout delay.
    public var lateShare: Double
    /// What is done to the own voice.
    public var voice = VoiceSettings()
    /// JACK's period in frames, where the node starts the server: short beside the packets,
    /// and no wake-up more than that takes.
    public var periodFrames: Int
  }

  /// The table.
  public var settings: Settings {
    switch self {
    case .stage:
      // A copy comes a packet later: of 2.5 ms that is as little as it can be. Until one is sent each late packet is
      // heard, and on a wire few have to be.
      Settings(
        framesPerPacket: 120, bitsPerSecond: 96_000, mostBitsPerSecond: 224_000,
        application: .lowDelay, complexity: OpusEncoder.defaultComplexity, bandwidth: .full,
        lateShare: 0.001, periodFrames: 128)
    case .wifi:
      Settings(
        framesPerPacket: 480, bitsPerSecond: 32_000, mostBitsPerSecond: 96_000,
        application: .lowDelay, complexity: OpusEncoder.defaultComplexity, bandwidth: .full,
        lateShare: 0.005, voice: .light, periodFrames: 256)
    case .saver:
      Settings(
        framesPerPacket: 1920, bitsPerSecond: 20_000, mostBitsPerSecond: 48_000,
        application: .voip, complexity: 2, bandwidth: .wide, lateShare: 0.005,
        voice: .light, periodFrames: 512)
    }
  }
}
