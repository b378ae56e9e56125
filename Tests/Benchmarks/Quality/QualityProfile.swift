import Intercom

/// What both nodes are started with, by `comlinkd --profile` or its virtual like.
struct QualityProfile {
  let profile: Profile
  /// Most payload to one peer, kbit/s; nil: the profile's own.
  var bitrateMaxKilobits: Int?

  static let all = Profile.allCases.map { QualityProfile(profile: $0) }

  var name: String { profile.rawValue }
  /// JACK's period.
  var periodFrames: Int { profile.settings.periodFrames }
  /// Frames at 48 kHz in a packet.
  var framesPerPacket: Int { profile.settings.framesPerPacket }
  var bitsPerSecond: Int { profile.settings.bitsPerSecond }
  /// The profile as arguments of `comlinkd`; the network is judged, not what is done to the voice.
  var arguments: [String] {
    let most = bitrateMaxKilobits.map { ["--bitrate-max", "\($0)"] } ?? []
    return ["--profile", name, "--voice-suppress", "off", "--voice-high-pass", "off"] + most
  }
}
