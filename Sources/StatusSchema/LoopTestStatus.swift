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
