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

/// Whose voice a node sends back in place of its own.
public struct LoopBackStatus: Codable, Hashable, Sendable {
  /// The peer.
  public var peer: String
  /// When it ends by itself.
  public var secondsLeft: Double

  /// Describes a loop-back.
  public init(peer: String, secondsLeft: Double) {
    (self.peer, self.secondsLeft) = (peer, secondsLeft)
  }
}

/// How long sound takes to a peer and back, from a test.
public struct LoopTestStatus: Codable, Hashable, Sendable {
  /// The peer.
  public var peer: String
  /// Sweeps that were sent.
  public var sent: Int
  /// How many of them were found in what came back.
  public var found: Int
  /// From the microphone's port to the ear's, there and back, milliseconds: the middle one; absent where none was found.
  public var roundTripMilliseconds: Double?
  /// The least and the most of them.
  public var leastMilliseconds, mostMilliseconds: Double?
  /// How much louder (above 0) or quieter they came back, dB.
  public var levelDecibels: Double?
  /// Of the network alone, there and back, from the reports (RFC 3550 §6.4.1); absent before the first.
  public var networkMilliseconds: Double?
  /// How long the peer's packets wait here before they are heard.
  public var playoutDelayMilliseconds: Double?

  /// A test in which nothing was found yet.
  public init(peer: String, sent: Int, found: Int) {
    (self.peer, self.sent, self.found) = (peer, sent, found)
  }
}
