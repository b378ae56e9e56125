/// Levels in a ``Status``: JSON has no infinity, so silence needs a number.
public enum Level {
  /// What a level of digital silence is written as, dBFS.
  public static let silenceDBFS = -120.0

  /// The level as JSON can carry it: at least ``silenceDBFS``, and that too for "not a number".
  public static func finite(_ levelDBFS: Double) -> Double {
    levelDBFS.isFinite ? max(levelDBFS, silenceDBFS) : silenceDBFS
  }
}
