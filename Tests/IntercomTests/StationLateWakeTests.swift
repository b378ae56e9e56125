import EventLoop
import Media
import TestKit
import Testing

@testable import Intercom

/// A loop that is woken late, so that JACK's callback comes while it decodes.
@Suite struct StationLateWakeTests {
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  /// Anna's voice at Bert's, whose loop is late: what the stream did about it from the second second on.
  private func statistics(
    late nanoseconds: Int64, delay: PlayoutDelay
  ) throws -> (PeerStreamStatistics, before: PeerStreamStatistics) {
    let network = VirtualNetwork()
    let beat = VirtualNode.Beat(periodFrames: 256)
    let anna = try VirtualNode("Anna", at: home, beat: beat)
    let bert = try VirtualNode("Bert", at: away, beat: beat) {
      $0.playoutDelay = delay
    }
    let tone = Tone(hertz: 220)
    anna.mic = { tone.sample($0) }
    network.add(anna)
    network.add(bert)
    anna.station.addNamed(away, nowNanoseconds: network.now)
    network.run(seconds: 3)
    let stream = try #require(bert.peer(at: home)?.stream)
    let before = stream.statistics
    bert.latenessNanoseconds = nanoseconds
    network.run(seconds: 10)
    return (stream.statistics, before)
  }

  @Test(arguments: [PlayoutDelay.auto, .fixed(nanoseconds: 40_000_000)])
  func aCallbackInTheMidstOfAWakeUpDoesNotStretchTheSound(delay: PlayoutDelay) throws {
    let (after, before) = try statistics(late: 1_000_000, delay: delay)
    #expect(after.insertions == before.insertions)
    #expect(after.removals == before.removals)
  }
}
