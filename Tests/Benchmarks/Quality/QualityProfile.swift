/// What both nodes are started with: the one place to change when `comlinkd` learns better defaults.
struct QualityProfile {
  let name: String
  /// JACK's period: long enough that a shared machine keeps up, short beside the packets.
  let periodFrames: Int
  /// Frames at 48 kHz in a packet.
  let framesPerPacket: Int
  let bitsPerSecond: Int
  /// `lowdelay` or `voip`.
  let application: String

  static let all = [
    QualityProfile(
      name: "stage", periodFrames: 128, framesPerPacket: 240, bitsPerSecond: 64_000,
      application: "lowdelay"),
    QualityProfile(
      name: "wifi", periodFrames: 256, framesPerPacket: 480, bitsPerSecond: 32_000,
      application: "lowdelay"),
    QualityProfile(
      name: "saver", periodFrames: 512, framesPerPacket: 960, bitsPerSecond: 24_000,
      application: "voip"),
  ]

  /// Milliseconds of a packet.
  var packetMilliseconds: Double { Double(framesPerPacket) / 48 }

  /// The profile as arguments of `comlinkd`.
  var arguments: [String] {
    let ptime = packetMilliseconds == 2.5 ? "2.5" : "\(Int(packetMilliseconds))"
    return [
      "--ptime", ptime, "--bitrate", "\(bitsPerSecond / 1000)", "--application", application,
    ]
  }
}
