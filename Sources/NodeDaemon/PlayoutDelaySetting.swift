/// How long received packets wait before they are played.
enum PlayoutDelaySetting: Hashable, Sendable {
  /// As short as the measured jitter allows.
  case auto
  /// Always this long.
  case fixed(milliseconds: Double)
}
