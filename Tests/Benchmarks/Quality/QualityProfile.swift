import Intercom

/// What both nodes are started with, by `comlinkd --profile` or its virtual like.
struct QualityProfile {
  let profile: Profile
  /// JACK's period: long enough that a shared machine keeps up, short beside the packets.
  let periodFrames: Int
  /// Most payload to one peer, kbit/s; nil: the profile's own.
  var bitrateMaxKilobits: Int?

  static let all = [
    QualityProfile(profile: .stage, periodFrames: 128),
    QualityProfile(profile: .wifi, periodFrames: 256),
    QualityProfile(profile: .saver, periodFrames: 512),
  ]

  var name: String { profile.rawValue }
  /// Frames at 48 kHz in a packet.
  var framesPerPacket: Int { profile.settings.framesPerPacket }
  var bitsPerSecond: Int { profile.settings.bitsPerSecond }
  /// The profile as arguments of `comlinkd`.
  var arguments: [String] {
    let most = bitrateMaxKilobits.map { ["--bitrate-max", "\($0)"] } ?? []
    return ["--profile", name] + most
  }
}
