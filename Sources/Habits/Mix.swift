public import Cryptography
internal import StatusSchema

/// A direction around the head, degrees.
public struct HeadPlace: Sendable, Hashable {
  /// 0 ahead, 90 right, −90 left, 180 behind.
  public var azimuthDegrees: Double
  /// 0 level, 90 above.
  public var elevationDegrees: Double

  /// A direction, brought within `PeerStatus.azimuthRangeDegrees` and `PeerStatus.elevationRangeDegrees`.
  public init(azimuthDegrees: Double, elevationDegrees: Double) {
    let turned = azimuthDegrees.remainder(dividingBy: 360)
    self.azimuthDegrees = PeerStatus.azimuthRangeDegrees.nearest(to: turned)
    self.elevationDegrees = PeerStatus.elevationRangeDegrees.nearest(to: elevationDegrees)
  }
}

/// The user's mix settings for one member; they survive its absence.
public struct PeerSettings: Sendable, Equatable {
  /// Within `PeerStatus.gainRangeDecibels`.
  public var gainDecibels = 0.0
  /// -1 left, 1 right.
  public var pan = 0.0
  /// Whether it is muted.
  public var isMuted = false
  /// Where it is heard around the head; nil: by its pan, or where talkers are spread.
  public var place: HeadPlace?

  /// Nothing was set.
  public init() {}

  /// Saved settings, clamped to the present ranges.
  public init(gainDecibels: Double, pan: Double, isMuted: Bool, place: HeadPlace? = nil) {
    self.gainDecibels = PeerStatus.gainRangeDecibels.nearest(to: gainDecibels)
    self.pan = PeerStatus.panRange.nearest(to: pan)
    self.isMuted = isMuted
    self.place = place
  }
}

extension ClosedRange<Double> {
  fileprivate func nearest(to value: Double) -> Double {
    Swift.min(Swift.max(value, lowerBound), upperBound)
  }
}

/// What the user set for an input beside the microphone; it holds until the configuration says something else of it.
public struct InputHabit: Sendable, Equatable {
  /// What the configuration said of the input then.
  public var configured: String
  /// Whether others are sent it.
  public var isOn: Bool
  /// The lines that it is for; none: all members, whatever lines they are on.
  public var lines: [String]

  /// An input as it is set.
  public init(configured: String, isOn: Bool, lines: [String]) {
    (self.configured, self.isOn, self.lines) = (configured, isOn, lines)
  }
}

/// Who is on a bus, as the user set it; it holds until the configuration says something else of the bus.
public struct BusHabit: Sendable, Equatable {
  /// What the configuration said of the bus then.
  public var configured: String
  /// How loud those are who are not set by themselves, decibels; minus infinity: not at all.
  public var others: Double
  /// The same of members, by what they are called here.
  public var members: [String: Double]

  /// A bus as it is set.
  public init(configured: String, others: Double, members: [String: Double]) {
    (self.configured, self.others, self.members) = (configured, others, members)
  }
}

/// The user's mix, the talk key and the settings of members, inputs and buses, kept across restarts.
public struct Mix: Sendable, Equatable {
  /// Most members whose settings are kept.
  public static let mostPeers = 256
  /// Most inputs, and most buses, of which something is kept.
  public static let mostPatches = 16

  /// Whether the talk key is on.
  public var isTalking: Bool
  /// The members with settings, present or away.
  public var peers: [NodeID: PeerSettings]
  /// Inputs beside the microphone that were changed, by name.
  public var inputs: [String: InputHabit] = [:]
  /// Buses with ports of their own that were changed, by name.
  public var buses: [String: BusHabit] = [:]

  /// Makes a mix; without arguments nothing was set.
  public init(isTalking: Bool = true, peers: [NodeID: PeerSettings] = [:]) {
    self.isTalking = isTalking
    self.peers = peers
  }
}
