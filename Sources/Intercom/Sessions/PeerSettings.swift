public import Cryptography
internal import Glibc
internal import StatusSchema

/// The user's mix settings for one peer; they survive its absence.
public struct PeerSettings: Sendable, Equatable {
  static let gainRange = PeerStatus.gainRangeDecibels
  static let panRange = PeerStatus.panRange

  /// Within `PeerStatus.gainRangeDecibels`.
  public var gainDecibels = 0.0
  /// -1 left, 1 right.
  public var pan = 0.0
  /// Whether it is muted.
  public var isMuted = false

  /// Nothing was set.
  public init() {}

  /// Saved settings, clamped to the present ranges.
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

/// The user's mix: the talk key, and the settings of members.
public struct Mix: Sendable, Equatable {
  /// Whether the talk key is on.
  public var isTalking = true
  /// The members with settings, present or away.
  public var peers: [NodeID: PeerSettings] = [:]

  /// Nothing was set.
  public init() {}
}
