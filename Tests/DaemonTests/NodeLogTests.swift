import Audio
import Intercom
import Logging
import Synchronization
import Testing

@testable import comlinkd

@Suite struct NodeLogTests {
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }

    var logger: Logger {
      let log = StandardErrorLog(style: .terminal, area: "audio") { [self] bytes in
        lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
      }
      return Logger(label: "test") { _ in log }
    }
  }

  @Test(arguments: [(false, "start it, or let comlinkd do so: --start-jack"), (true, "start it")])
  func `the wait for JACK names the user and advises only what is left`(
    startsJack: Bool, advice: String
  ) async {
    let lines = Lines()
    let log = NodeLog(startsJack: startsJack)
    log.add(.audio(.waiting(server: "studio")))
    log.finish()
    await log.write(to: lines.logger, audio: lines.logger)
    let words = "waiting for JACK server 'studio' of user \(LimitsAdvice.user) (\(advice))"
    #expect(lines.all == ["NOTICE audio: \(words)\n"])
  }
}
