/// The result of a speech test, through the codec or to a peer and back.
public struct SpeechTestStatus: Codable, Hashable, Sendable {
  /// The peer; absent where speech only went through a codec as this node's is set.
  public var peer: String?
  /// How much of it can be understood, 0 … 1.
  ///
  /// STOI: Taal et al. (2011), see STATUS.md.
  public var intelligibility: Double
  /// Delay, milliseconds: of the codec alone, or the round trip.
  public var delayMilliseconds: Double
  /// Processor time that coding and decoding took, percent of one core; absent with a peer.
  public var processorPercent: Double?
  /// Audio per packet, milliseconds.
  public var ptimeMilliseconds: Double
  /// Target bit rate of the encoder, kbit/s.
  public var bitrateKilobits: Double
  /// Mode of Opus: `lowdelay` or `voip`.
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

/// A loop-back: the peer whose voice a node sends in place of its own.
public struct LoopBackStatus: Codable, Hashable, Sendable {
  /// The peer.
  public var peer: String
  /// Time until it ends by itself.
  public var secondsLeft: Double

  /// Describes a loop-back.
  public init(peer: String, secondsLeft: Double) {
    (self.peer, self.secondsLeft) = (peer, secondsLeft)
  }
}

/// The result of a loop test: the audio round trip to a peer.
public struct LoopTestStatus: Codable, Hashable, Sendable {
  /// The peer.
  public var peer: String
  /// Sweeps that were sent.
  public var sent: Int
  /// Sweeps found in the returned audio.
  public var found: Int
  /// Round trip from the microphone's port to the output port, milliseconds: the median; absent where none was found.
  public var roundTripMilliseconds: Double?
  /// The least and the most of them.
  public var leastMilliseconds, mostMilliseconds: Double?
  /// Level change over the round trip, dB; above 0 is louder.
  public var levelDecibels: Double?
  /// Round trip of the network alone, from the reports (RFC 3550 §6.4.1); absent before the first.
  public var networkMilliseconds: Double?
  /// Playout delay of the peer's packets here.
  public var playoutDelayMilliseconds: Double?

  /// A test in which nothing was found yet.
  public init(peer: String, sent: Int, found: Int) {
    (self.peer, self.sent, self.found) = (peer, sent, found)
  }
}
