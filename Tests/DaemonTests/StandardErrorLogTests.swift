import Logging
import Synchronization
import Testing

@testable import NodeDaemon

@Suite struct StandardErrorLogTests {
  private final class Sink: Sendable {
    let lines = Mutex("")
    var text: String { lines.withLock { $0 } }

    func logger(_ style: StandardErrorLog.Style) -> Logger {
      var log = StandardErrorLog(style: style, area: "audio") { bytes in
        self.lines.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
      }
      log.logLevel = .trace
      return Logger(label: "audio") { _ in log }
    }
  }

  static let priorities: [(Logger.Level, Int)] = [
    (.trace, 7), (.debug, 7), (.info, 6), (.notice, 5), (.warning, 4), (.error, 3), (.critical, 2),
  ]

  @Test(arguments: priorities)
  func `levels are the journal's priorities`(level: Logger.Level, priority: Int) {
    let sink = Sink()
    sink.logger(.journal).log(level: level, "hello")
    #expect(sink.text == "<\(priority)>audio: hello\n")
  }

  @Test func `people read the level, the area and what goes with it`() {
    let sink = Sink()
    sink.logger(.terminal).warning(
      "no server", metadata: ["server": "default", "after": "2 s", "said": "\"no\"", "x": ""])
    #expect(
      sink.text
        == "WARNING audio: no server after=\"2 s\" said=\"\\\"no\\\"\" server=default x=\"\"\n")
  }

  @Test func `an event's name comes first behind the words, then its facts by their names`() {
    let sink = Sink()
    sink.logger(.journal).event(
      .peerLeft, "peer left", ["address": "a:1", "why": "x y"])
    #expect(sink.text == "<5>audio: peer left event=peer-left address=a:1 why=\"x y\"\n")
  }

  @Test func `an event is one entry of the journal, however many lines it has`() {
    let sink = Sink()
    sink.logger(.journal).error("one\ntwo", metadata: ["a": "b"])
    #expect(sink.text == "<3>audio: one; two a=b\n")
  }

  @Test func `people read the lines of a message one by one`() {
    let sink = Sink()
    sink.logger(.terminal).error("one\ntwo", metadata: ["a": "b"])
    #expect(sink.text == "ERROR audio: one\nERROR audio: two a=b\n")
  }

  @Test func `nothing in a message commands the terminal`() {
    let sink = Sink()
    sink.logger(.journal).error("\u{1B}[2Jgone\r")
    #expect(sink.text == "<3>audio: ?[2Jgone?\n")
  }

  @Test func `what a logger always adds gives way to what the event adds`() {
    let sink = Sink()
    var logger = sink.logger(.terminal)
    logger[metadataKey: "peer"] = "B"
    logger[metadataKey: "port"] = "1"
    #expect(logger[metadataKey: "peer"] == "B")
    logger.info("x", metadata: ["port": "2"])
    #expect(sink.text == "INFO audio: x peer=B port=2\n")
  }

  @Test(arguments: [[:], ["JOURNAL_STREAM": ""], ["JOURNAL_STREAM": "0:0"]])
  func `only systemd's own stream is the journal`(environment: [String: String]) {
    #expect(StandardErrorLog.style(environment: environment) == .terminal)
  }
}
