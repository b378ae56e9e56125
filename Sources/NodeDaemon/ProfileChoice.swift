internal import Audio
internal import Intercom
internal import Voice

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

  /// The frames of a period that PipeWire is asked for: the profile's, or short enough beside packets of 10 ms.
  var quantumFrames: Int { periodFrames ?? 256 }

  /// The period of a JACK server that suits it; nil: any.
  var periodFrames: Int? {
    guard case .of(let profile) = self else { return nil }
    return profile.settings.periodFrames
  }

  /// The settings that it stands for.
  var settings: [(setting: Setting, value: SettingValue)] {
    guard case .of(let profile) = self else { return [] }
    let settings = profile.settings
    let voice = Setting.allCases.compactMap { setting in
      setting.voice.map { (setting, SettingValue.text(settings.voice.text(of: $0))) }
    }
    return [
      (.ptime, .number(Double(settings.framesPerPacket) / 48)),
      (.bitrate, .integer(settings.bitsPerSecond / 1000)),
      (.bitrateMax, .number(Double(settings.mostBitsPerSecond) / 1000)),
      (.application, .text(settings.application.rawValue)),
      (.complexity, .integer(settings.complexity)),
      (.bandwidth, .text(settings.bandwidth.rawValue)),
      (.lateRate, .number(settings.lateShare * 100)),
    ] + voice
  }
}

/// How much audio a packet carries: the frame sizes of Opus (RFC 6716 §2.1.4).
enum PacketTime: Double, CaseIterable, Sendable {
  case ms2point5 = 2.5
  case ms5 = 5
  case ms10 = 10
  case ms20 = 20
  case ms40 = 40
  case ms60 = 60

  /// The choices as a user writes them.
  static let words = allCases.map(\.text).joined(separator: "|")

  /// Audio per packet, milliseconds.
  var milliseconds: Double { rawValue }

  /// Audio per packet, frames at 48 kHz.
  var frames: Int { Int(rawValue * 48) }

  /// The time as a user writes it, milliseconds.
  var text: String { self == .ms2point5 ? "2.5" : "\(Int(rawValue))" }
}

/// How long received packets wait before they are played.
enum PlayoutDelaySetting: Hashable, Sendable {
  /// As short as the measured jitter allows.
  case auto
  /// Always this long.
  case fixed(milliseconds: Double)
}

/// Where a setting's value comes from.
enum Origin: Hashable, Sendable {
  /// Nobody set it.
  case builtIn
  /// The profile that was chosen.
  case profile(String)
  /// A configuration file; the line of the key, 1 is the first.
  case file(path: String, line: Int?)
  /// A flag of the command line.
  case flag(Setting)

  /// The place in words, for the start of a message; empty for a default.
  var words: String {
    switch self {
    case .builtIn: "default"
    case .profile(let name): "profile \(name)"
    case .file(let path, let line): line.map { "\(path):\($0)" } ?? path
    case .flag(let setting): "--\(setting.rawValue)"
    }
  }
}
