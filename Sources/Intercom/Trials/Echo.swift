/// What came back from a peer, and how far it was meanwhile.
struct Echo: Sendable {
  /// As long as the signal and in step with it; at JACK's rate.
  var record: [Float]
  /// Of the network alone, there and back, from the reports.
  var networkMilliseconds: Double?
  /// How long the peer's packets wait here.
  var playoutMilliseconds: Double?
}
