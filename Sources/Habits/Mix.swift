public import Cryptography
internal import StatusSchema

/// The user's mix settings for one member; they survive its absence.
public struct PeerSettings: Sendable, Equatable {
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
    self.gainDecibels = PeerStatus.gainRangeDecibels.nearest(to: gainDecibels)
    self.pan = PeerStatus.panRange.nearest(to: pan)
    self.isMuted = isMuted
  }
}

extension ClosedRange<Double> {
  fileprivate func nearest(to value: Double) -> Double {
    Swift.min(Swift.max(value, lowerBound), upperBound)
  }
}

/// The user's mix, the talk key and the settings of members, kept across restarts.
public struct Mix: Sendable, Equatable {
  /// Most members whose settings are kept.
  public static let mostPeers = 256

  /// Whether the talk key is on.
  public var isTalking: Bool
  /// The members with settings, present or away.
  public var peers: [NodeID: PeerSettings]

  /// Makes a mix; without arguments nothing was set.
  public init(isTalking: Bool = true, peers: [NodeID: PeerSettings] = [:]) {
    self.isTalking = isTalking
    self.peers = peers
  }
}
