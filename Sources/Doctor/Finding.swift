/// What the doctor found of one thing that sound depends on.
public struct Finding: Hashable, Sendable {
  /// How bad it is.
  public enum Level: String, Codable, Hashable, Sendable {
    /// As it should be.
    case ok
    /// Works, and could work better.
    case advice
    /// Sound breaks up for it, or will.
    case problem
  }

  /// What was looked at, in a word such as `wifi`.
  public var check: String
  /// How bad it is.
  public var level: Level
  /// What was seen.
  public var seen: String
  /// What it means, in a line; empty where all is well.
  public var meaning = ""
  /// What to do, as commands and lines of files for a person; empty where all is well.
  public var fix: [String] = []
  /// What ``Repairer`` can do of it without harm.
  var repairs: [Repair] = []

  /// Whether ``Repairer`` can do something about it.
  public var isRepairable: Bool { !repairs.isEmpty }
}

extension Finding: Encodable {
  private enum Key: String, CodingKey { case check, level, seen, meaning, fix, isRepairable }

  /// Writes it for `comlink doctor --json`: `meaning` and `fix` only where there are some.
  public func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(check, forKey: .check)
    try fields.encode(level, forKey: .level)
    try fields.encode(seen, forKey: .seen)
    if !meaning.isEmpty { try fields.encode(meaning, forKey: .meaning) }
    if !fix.isEmpty { try fields.encode(fix, forKey: .fix) }
    try fields.encode(isRepairable, forKey: .isRepairable)
  }
}
