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

/// Findings as text for a terminal.
public enum FindingTable {
  /// A line for each finding that is well; for others also what it means, and each step of its fix.
  ///
  /// What comes from outside (names, the system's files) cannot send commands to the terminal.
  public static func text(_ findings: [Finding]) -> String {
    findings.flatMap(lines).map { clean($0) + "\n" }.joined() + summary(findings) + "\n"
  }

  private static func lines(_ finding: Finding) -> [String] {
    let head = "\(padded(finding.level.rawValue, 8)) \(padded(finding.check, 10)) \(finding.seen)"
    let indent = String(repeating: " ", count: 20)
    return [head] + (finding.meaning.isEmpty ? [] : [indent + finding.meaning])
      + finding.fix.map { "\(indent)fix: \($0)" }
  }

  private static func summary(_ findings: [Finding]) -> String {
    let problems = findings.filter { $0.level == .problem }.count
    let advice = findings.filter { $0.level == .advice }.count
    guard problems + advice > 0 else { return "All is well." }
    let repairable = findings.filter { $0.level != .ok && $0.isRepairable }.count
    let more = repairable > 0 ? "; sudo comlink doctor --fix fixes \(repairable)" : ""
    return "\(problems) problem\(problems == 1 ? "" : "s"), \(advice) advice\(more)."
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  private static func clean(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map {
          [.control, .format].contains($0.properties.generalCategory) ? "?" : $0
        }))
  }
}
