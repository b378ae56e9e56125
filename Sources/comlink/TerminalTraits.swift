internal import FoundationEssentials
internal import Glibc

/// What the terminal at standard output can show.
struct TerminalTraits: Equatable {
  /// Whether it takes UTF-8.
  var isUnicode: Bool
  /// Whether colours are welcome (no-color.org).
  var hasColours: Bool

  /// The traits that the environment tells of; nil: it cannot move its cursor.
  init?(environment: [String: String]) {
    guard let kind = environment["TERM"], !kind.isEmpty, kind != "dumb" else { return nil }
    let locale =
      ["LC_ALL", "LC_CTYPE", "LANG"].lazy
      .compactMap { environment[$0] }.first { !$0.isEmpty }?.lowercased() ?? ""
    isUnicode = locale.hasSuffix("utf-8") || locale.hasSuffix("utf8")
    hasColours = environment["NO_COLOR", default: ""].isEmpty
  }

  /// The ones of this process; nil where standard output is no terminal.
  static var ofThisProcess: TerminalTraits? {
    guard isatty(STDOUT_FILENO) == 1 else { return nil }
    return TerminalTraits(environment: ProcessInfo.processInfo.environment)
  }
}
