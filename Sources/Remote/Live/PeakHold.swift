/// The highest level of the last moments, as a meter's peak mark shows it.
struct PeakHold {
  /// How long the mark stays, and how fast it falls then, as programme meters do it.
  private static let holdTime = Duration.milliseconds(1500)
  private static let fallDecibelsPerSecond = 20.0

  private var peakDBFS: Double
  private var since: Duration

  /// A mark at the first level.
  init(levelDBFS: Double, at time: Duration) { (peakDBFS, since) = (levelDBFS, time) }

  /// Takes a level; answers where the mark is.
  mutating func take(levelDBFS: Double, at time: Duration) -> Double {
    let fallen = max(0, (time - since - Self.holdTime) / .seconds(1)) * Self.fallDecibelsPerSecond
    let mark = peakDBFS - fallen
    guard levelDBFS >= mark else { return mark }
    (peakDBFS, since) = (levelDBFS, time)
    return levelDBFS
  }
}
