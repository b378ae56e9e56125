import Media
import StatusSchema
import TestKit
import Testing

@testable import Intercom

/// What a station does while nobody is there: as little as can be, as long batteries and cool boxes want it.
@Suite struct StationIdleTests {
  @Test(arguments: [
    VirtualNode.Beat(), VirtualNode.Beat(periodFrames: 512, sampleRate: 192_000), nil,
  ])
  func aloneItSleeps(beat: VirtualNode.Beat?) throws {
    let network = VirtualNetwork()
    let anna = try VirtualNode("Anna", at: .host(1), beat: beat)
    network.add(anna)
    network.run(seconds: 1)
    let before = anna.wakeUps
    network.run(seconds: 10)
    #expect((10...220).contains(anna.wakeUps - before))
    #expect(anna.captureOverrunFrames == 0)
  }

  @Test func whoComesIsHeardAtOnceAndWhoStaysAloneSleepsAgain() throws {
    let network = VirtualNetwork()
    let anna = try VirtualNode("Anna", at: .host(1), beat: VirtualNode.Beat())
    let bert = try VirtualNode("Bert", at: .host(2), beat: VirtualNode.Beat())
    network.add(anna)
    network.run(seconds: 3)
    network.add(bert)
    anna.mic = Tone(hertz: 440).sample
    bert.station.addNamed(.host(1), nowNanoseconds: network.now)
    #expect(network.run(until: { bert.isConnected(to: .host(1)) }, limitSeconds: 0.2))
    #expect(
      network.run(
        until: { bert.peer(at: .host(1))?.stream?.statistics.played ?? 0 > 2 }, limitSeconds: 0.3))
    bert.station.sayGoodbye()
    network.run(seconds: 1)
    let before = anna.wakeUps
    network.run(seconds: 10)
    #expect(anna.wakeUps - before < 220)
  }

  /// Each packet captured is a wake-up of its own, and so is each that comes; nothing looks for more in between.
  @Test(arguments: [(true, 60.0), (false, 30)])
  func whoTalksInLongPacketsOrNotAtAllIsNotLookedFor(isTalking: Bool, mostASecond: Double) throws {
    let network = VirtualNetwork()
    let adjust = { (configuration: inout IntercomConfiguration) in configuration.take(.saver) }
    let beat = VirtualNode.Beat(periodFrames: 256)
    let anna = try VirtualNode("Anna", at: .host(1), beat: beat, adjust: adjust)
    let bert = try VirtualNode("Bert", at: .host(2), beat: beat, adjust: adjust)
    for node in [anna, bert] {
      node.mic = Tone(hertz: 440).sample
      node.station.setTalk(isTalking)
      network.add(node)
    }
    anna.station.addNamed(.host(2), nowNanoseconds: network.now)
    network.run(seconds: 5)
    let before = bert.wakeUps
    network.run(seconds: 10)
    #expect(Double(bert.wakeUps - before) / 10 < mostASecond)
    let heard = try #require(bert.statuses(network).first)
    #expect(heard.late == 0 && heard.lost == 0 && heard.concealed == 0 && heard.underrun == 0)
  }
}
