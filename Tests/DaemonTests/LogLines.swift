import Logging
import Synchronization

@testable import NodeDaemon

/// What a logger wrote, a line each.
final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])
  var all: [String] { lines.withLock { $0 } }

  func logger(
    _ area: String, level: Logger.Level = .info, style: StandardErrorLog.Style = .terminal
  ) -> Logger {
    var log = StandardErrorLog(style: style, area: area) { [self] bytes in
      lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
    }
    log.logLevel = level
    return Logger(label: "test") { [log] _ in log }
  }
}
