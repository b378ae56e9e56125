internal import Audio
internal import Intercom

/// Which profile's settings are the defaults.
enum ProfileChoice: Hashable, Sendable {
  /// Nobody's: the defaults for any place.
  case none
  /// Those of a kind of place.
  case of(Profile)

  /// The choices as a user writes them.
  static let words = (Profile.allCases.map(\.rawValue) + ["none"]).joined(separator: "|")

  /// Reads the choice that a user wrote; nil: it is none of them.
  init?(_ text: String) {
    if text == "none" {
      self = .none
    } else if let profile = Profile(rawValue: text) {
      self = .of(profile)
    } else {
      return nil
    }
  }

  /// The choice as a user writes it.
  var text: String {
    switch self {
    case .none: "none"
    case .of(let profile): profile.rawValue
    }
  }

  /// The period of a JACK server that the node starts itself; nil: as short as the card does.
  var periodFrames: Int? {
    guard case .of(let profile) = self else { return nil }
    return profile.settings.periodFrames
  }

  /// The settings that it stands for.
  var settings: [(setting: Setting, value: SettingValue)] {
    guard case .of(let profile) = self else { return [] }
    let settings = profile.settings
    return [
      (.ptime, .number(Double(settings.framesPerPacket) / 48)),
      (.bitrate, .integer(settings.bitsPerSecond / 1000)),
      (.bitrateMax, .number(Double(settings.mostBitsPerSecond) / 1000)),
      (.application, .text(settings.application.rawValue)),
      (.complexity, .integer(settings.complexity)),
      (.bandwidth, .text(settings.bandwidth.rawValue)),
      (.lateRate, .number(settings.lateShare * 100)),
    ]
  }
}
