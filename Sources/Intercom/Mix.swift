public import Cryptography

/// What the user set of the sound: the talk key, and how members are heard.
public struct Mix: Sendable, Equatable {
  /// Whether the microphone is open.
  public var isTalking = true
  /// The members for which something was set, here or away.
  public var peers: [NodeID: PeerSettings] = [:]

  /// Nothing was set.
  public init() {}
}
