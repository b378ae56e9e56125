/// How well speech gets through a codec, or to a peer and back, from a test.
public struct SpeechTestStatus: Codable, Hashable, Sendable {
  /// The peer; absent where speech only went through a codec as this node's is set.
  public var peer: String?
  /// How much of it can be understood, 0 … 1.
  ///
  /// STOI: Taal et al. (2011), see STATUS.md.
  public var intelligibility: Double
  /// Until it came out again, milliseconds: of the codec alone, or there and back.
  public var delayMilliseconds: Double
  /// Processor time that coding and decoding took, percent of one core; absent with a peer.
  public var processorPercent: Double?
  /// Audio per packet, milliseconds.
  public var ptimeMilliseconds: Double
  /// Target bit rate of the encoder, kbit/s.
  public var bitrateKilobits: Double
  /// What Opus is tuned for: `lowdelay` or `voip`.
  public var application: String

  /// A result.
  public init(
    peer: String?, intelligibility: Double, delayMilliseconds: Double, processorPercent: Double?,
    ptimeMilliseconds: Double, bitrateKilobits: Double, application: String
  ) {
    self.peer = peer
    self.intelligibility = intelligibility
    self.delayMilliseconds = delayMilliseconds
    self.processorPercent = processorPercent
    self.ptimeMilliseconds = ptimeMilliseconds
    self.bitrateKilobits = bitrateKilobits
    self.application = application
  }
}
