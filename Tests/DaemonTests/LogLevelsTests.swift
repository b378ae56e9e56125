import Logging
import Remote
import Synchronization
import Testing

@testable import NodeDaemon

@Suite struct LogLevelsTests {
  private final class Sink: Sendable {
    let lines = Mutex("")
    var text: String { lines.withLock { $0 } }
  }

  private static func logger(_ area: String, _ levels: LogLevels, _ sink: Sink) -> Logger {
    var log = StandardErrorLog(style: .terminal, area: area) { bytes in
      sink.lines.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
    }
    log.threshold = levels.threshold(of: area, configured: .info)
    return Logger(label: area) { _ in log }
  }

  @Test func `a level changes what loggers that were made before write`() {
    let (levels, sink) = (LogLevels(), Sink())
    let (mesh, audio) = (Self.logger("mesh", levels, sink), Self.logger("audio", levels, sink))
    mesh.debug("1")
    #expect(levels.answer(level: "debug", area: "mesh") == .logLevels(["mesh": "debug"]))
    mesh.debug("2")
    audio.debug("3")
    #expect(
      levels.answer(level: "error", area: nil) == .logLevels(["mesh": "error", "audio": "error"]))
    audio.warning("4")
    audio.error("5")
    #expect(sink.text == "DEBUG mesh: 2\nERROR audio: 5\n")
  }

  @Test func `without a level nothing is changed`() {
    let levels = LogLevels()
    _ = levels.threshold(of: "mesh", configured: .notice)
    #expect(levels.answer(level: nil, area: nil) == .logLevels(["mesh": "notice"]))
    #expect(levels.answer(level: nil, area: "mesh") == .logLevels(["mesh": "notice"]))
  }

  @Test func `a level of all areas holds for those that come later`() {
    let levels = LogLevels()
    _ = levels.answer(level: "trace", area: nil)
    #expect(levels.threshold(of: "later", configured: .info).level == .trace)
  }

  @Test func `unknown levels and areas are refused in words`() {
    let levels = LogLevels()
    _ = levels.threshold(of: "mesh", configured: .info)
    #expect(
      levels.answer(level: "loud", area: nil)
        == .error(message: "no log level \"loud\"; use one of \(LogLevelName.words)"))
    #expect(
      levels.answer(level: "debug", area: "x")
        == .error(message: "no log area \"x\"; use one of mesh"))
    #expect(levels.answer(level: nil, area: "mesh") == .logLevels(["mesh": "info"]))
  }

  @Test func `a level that one logger sets is its own`() {
    let (levels, sink) = (LogLevels(), Sink())
    let first = Self.logger("mesh", levels, sink)
    var second = first
    second.logLevel = .error
    #expect(first.logLevel == .info)
    #expect(second.logLevel == .error)
  }
}
