/// Conversion between media time, counted in 48 kHz frames, and nanoseconds.
enum MediaClock {
  /// The RTP clock of Opus, whatever the coded bandwidth (RFC 7587 §4.1).
  static let framesPerSecond = 48_000

  /// The duration of `frames`, rounded towards zero.
  static func nanoseconds(frames: Int64) -> Int64 { frames * 62_500 / 3 }

  /// Whole frames in `nanoseconds`, rounded towards zero.
  static func frames(nanoseconds: Int64) -> Int64 { nanoseconds * 3 / 62_500 }
}
