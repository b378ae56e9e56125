public import Cryptography

/// What the user set of the sound, as it outlives a run.
public struct KeptMix: Equatable, Sendable {
  /// How one node is heard.
  public struct Peer: Equatable, Sendable {
    /// Its gain, dB.
    public var gainDecibels: Double
    /// Its place: -1 left, 1 right.
    public var pan: Double
    /// Whether it is not heard.
    public var isMuted: Bool

    /// Describes how it is heard.
    public init(gainDecibels: Double, pan: Double, isMuted: Bool) {
      self.gainDecibels = gainDecibels
      self.pan = pan
      self.isMuted = isMuted
    }
  }

  /// The most nodes of which something is kept.
  public static let peerLimit = 256

  /// Whether the microphone is open.
  public var isTalking: Bool
  /// The nodes for which something was set.
  public var peers: [NodeID: Peer]

  /// A mix; without arguments one in which nothing was set.
  public init(isTalking: Bool = true, peers: [NodeID: Peer] = [:]) {
    self.isTalking = isTalking
    self.peers = peers
  }
}
