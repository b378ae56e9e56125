/// Pauses between tries: half a second, then twice as long each time, 30 s at most.
///
/// Each is shortened by up to a quarter, so that nodes that were switched on together do not ask together for ever.
struct BackOff {
  private static let first = Duration.milliseconds(500)
  private static let longest = Duration.seconds(30)

  private var pause = Self.first

  /// The pause before the next try.
  mutating func next() -> Duration {
    defer { pause = min(pause * 2, Self.longest) }
    return pause * Double.random(in: 0.75...1)
  }
}
