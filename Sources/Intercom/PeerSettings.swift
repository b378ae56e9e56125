public import Cryptography
internal import Glibc
internal import StatusSchema

/// What this node's user set for one peer; survives the peer's absence.
public struct PeerSettings: Sendable, Equatable {
  static let gainRange = PeerStatus.gainRangeDecibels
  static let panRange = PeerStatus.panRange

  /// Within `PeerStatus.gainRangeDecibels`.
  public var gainDecibels = 0.0
  /// -1 left, 1 right.
  public var pan = 0.0
  /// Whether it is not heard.
  public var isMuted = false

  /// Nothing was set.
  public init() {}

  /// What was set once, within what can be set now.
  public init(gainDecibels: Double, pan: Double, isMuted: Bool) {
    self.gainDecibels = Self.gainRange.nearest(to: gainDecibels)
    self.pan = Self.panRange.nearest(to: pan)
    self.isMuted = isMuted
  }

  /// The factor the mixer applies.
  var linearGain: Float {
    isMuted ? 0 : Float(pow(10, gainDecibels / 20))
  }
}

extension ClosedRange<Double> {
  fileprivate func nearest(to value: Double) -> Double {
    Swift.min(Swift.max(value, lowerBound), upperBound)
  }
}

/// What the user set of the sound: the talk key, and how members are heard.
public struct Mix: Sendable, Equatable {
  /// Whether the microphone is open.
  public var isTalking = true
  /// The members for which something was set, here or away.
  public var peers: [NodeID: PeerSettings] = [:]

  /// Nothing was set.
  public init() {}
}
