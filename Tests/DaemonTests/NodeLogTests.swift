import Audio
import Intercom
import Testing

@testable import comlinkd

@Suite struct NodeLogTests {
  @Test(arguments: [(false, "start it, or let comlinkd do so: --start-jack"), (true, "start it")])
  func `the wait for JACK names the user and advises only what is left`(
    startsJack: Bool, advice: String
  ) async {
    let lines = LogLines()
    let log = NodeLog(startsJack: startsJack)
    log.add(.audio(.waiting(server: "studio")))
    log.finish()
    await log.write(to: lines.logger("node"), audio: lines.logger("audio"))
    let words = "waiting for JACK server 'studio' of user \(LimitsAdvice.user) (\(advice))"
    #expect(lines.all == ["NOTICE audio: \(words)\n"])
  }
}
