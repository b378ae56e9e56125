internal import Logging
internal import Synchronization

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
