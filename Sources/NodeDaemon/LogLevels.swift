internal import Logging
internal import Remote
internal import Synchronization

/// The levels of all areas of the daemon's log, to be changed while it runs.
///
/// Any thread. Only making an area's log and changing levels take the lock; logging reads the area's ``LogThreshold``.
final class LogLevels: Sendable {
  private struct State {
    var thresholds: [String: LogThreshold] = [:]
    /// What was chosen for all areas while the daemon runs; holds for those that are made later, too.
    var chosen: Logger.Level?
  }

  private let state = Mutex(State())

  /// The threshold of an area; `configured` holds until another level is chosen.
  func threshold(of area: String, configured: Logger.Level) -> LogThreshold {
    state.withLock { state in
      if let threshold = state.thresholds[area] { return threshold }
      let threshold = LogThreshold(state.chosen ?? configured)
      state.thresholds[area] = threshold
      return threshold
    }
  }

  /// Carries out a request: changes the level of one area, or of all, where one is given, and tells those that hold.
  ///
  /// - Parameters:
  ///   - level: one of swift-log's names; nil: nothing is changed.
  ///   - area: nil: all areas, those to come included.
  func answer(level: String?, area: String?) -> ControlResponse {
    var chosen: Logger.Level?
    if let level {
      guard let known = LogLevelName.level(level) else {
        return .error(
          message: "no log level \"\(level.prefix(40))\"; use one of \(LogLevelName.words)")
      }
      chosen = known
    }
    return state.withLock { state in
      let areas = area.map { [$0] } ?? state.thresholds.keys.sorted()
      var told: [String: String] = [:]
      for area in areas {
        guard let threshold = state.thresholds[area] else {
          let known = state.thresholds.keys.sorted().joined(separator: ", ")
          return .error(message: "no log area \"\(area.prefix(40))\"; use one of \(known)")
        }
        if let chosen { threshold.level = chosen }
        told[area] = threshold.level.rawValue
      }
      if area == nil, let chosen { state.chosen = chosen }
      return .logLevels(told)
    }
  }
}

/// The log levels by the names a user gives them.
enum LogLevelName {
  static let words = Logger.Level.allCases.map(\.rawValue).joined(separator: "|")

  /// The level of that name.
  static func level(_ name: String) -> Logger.Level? { Logger.Level(rawValue: name) }
}

/// The least that one area of the daemon logs; it may change while the area runs.
///
/// Any thread; reading it takes no lock.
final class LogThreshold: Sendable {
  private static let levels = Logger.Level.allCases

  private let severity: Atomic<Int>

  init(_ level: Logger.Level) { severity = Atomic(Self.severity(of: level)) }

  var level: Logger.Level {
    get { Self.levels[severity.load(ordering: .relaxed)] }
    set { severity.store(Self.severity(of: newValue), ordering: .relaxed) }
  }

  private static func severity(of level: Logger.Level) -> Int {
    levels.firstIndex(of: level) ?? 0
  }
}
