internal import Logging

/// The log levels by the names a user gives them.
enum LogLevelName {
  static let words = Logger.Level.allCases.map(\.rawValue).joined(separator: "|")

  /// The level of that name.
  static func level(_ name: String) -> Logger.Level? { Logger.Level(rawValue: name) }
}
