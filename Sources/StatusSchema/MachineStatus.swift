/// The battery that a node's machine runs on, in a ``Status``.
public struct BatteryStatus: Sendable, Hashable, Codable {
  /// How full it is, 0 to 100 %.
  public var percent: Int
  /// Whether the machine has power from outside.
  public var isPlugged: Bool

  /// A battery's state.
  public init(percent: Int, isPlugged: Bool) {
    (self.percent, self.isPlugged) = (percent, isPlugged)
  }
}

/// What the doctor found of one thing that sound depends on, as `comlink doctor --json` has it.
public struct FindingStatus: Sendable, Hashable, Codable {
  /// What was looked at, in a word such as `wifi`.
  public var check: String
  /// `ok`, `advice` or `problem`.
  public var level: String
  /// What was seen.
  public var seen: String
  /// What it means; absent where all is well.
  public var meaning: String?
  /// What to do, as commands and lines of files; absent where all is well.
  public var fix: [String]?

  /// A finding that is well.
  public init(check: String, level: String, seen: String) {
    (self.check, self.level, self.seen) = (check, level, seen)
  }
}
