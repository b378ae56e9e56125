import EventLoop
import Media
import TestKit
import Testing

@testable import Intercom

/// JACK, or a client before the microphone, stands still at one node: the others lose what was not captured, and
/// hardly more.
@Suite struct StationHoleTests {
  struct Case: CustomTestStringConvertible {
    let profile: Profile?
    let milliseconds: Int
    var testDescription: String { "\(profile?.rawValue ?? "none") \(milliseconds) ms" }
  }

  static let cases = [Profile.stage, nil, .wifi, .saver].flatMap { profile in
    [100, 150, 300, 1000, 5000].map { Case(profile: profile, milliseconds: $0) }
  }

  @Test(arguments: Seeds.part(of: cases))
  func `a hole at the sender costs itself and 100 ms at most`(one: Case) throws {
    let (home, away) = (SocketAddress.host(1), SocketAddress.host(2))
    let network = VirtualNetwork(seed: UInt64(one.milliseconds))
    let beat = VirtualNode.Beat(periodFrames: one.profile?.settings.periodFrames ?? 128)
    let (anna, bert) = (
      try VirtualNode("Anna", at: home, beat: beat) {
        if let profile = one.profile { $0.take(profile) }
      },
      try VirtualNode("Bert", at: away, beat: beat) {
        if let profile = one.profile { $0.take(profile) }
      }
    )
    anna.mic = Tone(hertz: 220).sample
    network.add(anna)
    network.add(bert)
    try anna.meet(bert, network)
    network.run(seconds: 6)
    let stream = try #require(bert.peer(at: home)?.stream)
    let before = stream.statistics
    anna.beat = nil
    network.run(seconds: Double(one.milliseconds) / 1000)
    anna.beat = beat
    network.run(seconds: 14)
    let after = stream.statistics
    let packet = Double(after.packetFrames) / 48
    let passed = Double(one.milliseconds) + 14_000
    let madeUp = passed - Double(after.played - before.played) * packet
    #expect(madeUp <= Double(one.milliseconds) + 100)
    #expect(Double(after.late - before.late) * packet <= 100)
    // Its time line went on, so there was no step. After more than 2 s what was sent before that was known begins anew.
    #expect(one.milliseconds > 2000 || after.restarts == before.restarts)
  }
}
