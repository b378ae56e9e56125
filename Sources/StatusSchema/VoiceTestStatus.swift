/// What a microphone is like, as a test of some seconds found it.
public struct VoiceTestStatus: Codable, Hashable, Sendable {
  /// Speech that was heard, seconds.
  public var speechSeconds: Double
  /// Highest peak, dBFS; -120 where nothing came at all.
  public var peakDBFS: Double
  /// Active level of the speech, RMS, dBFS; absent where too little was heard.
  public var speechLevelDBFS: Double?
  /// Level between words, RMS, dBFS.
  public var noiseLevelDBFS: Double
  /// Samples of the speech that stand at a ceiling, percent.
  public var clippedPercent: Double
  /// Hum of the mains: its frequency; absent where there is none.
  public var humHertz: Double?
  /// How loud the hum is with its harmonics, RMS, dBFS.
  public var humLevelDBFS: Double?
  /// How much of what the ear gets is in the microphone, dB; absent where nothing of it was found.
  public var echoDecibels: Double?
  /// How late that is, milliseconds.
  public var echoMilliseconds: Double?

  /// A microphone in which nothing else was found yet.
  public init(
    speechSeconds: Double, peakDBFS: Double, noiseLevelDBFS: Double, clippedPercent: Double
  ) {
    (self.speechSeconds, self.peakDBFS) = (speechSeconds, peakDBFS)
    (self.noiseLevelDBFS, self.clippedPercent) = (noiseLevelDBFS, clippedPercent)
  }
}
