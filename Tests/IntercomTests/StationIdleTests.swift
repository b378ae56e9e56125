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
  func `alone it sleeps`(beat: VirtualNode.Beat?) throws {
    let network = VirtualNetwork()
    let anna = try VirtualNode("Anna", at: .host(1), beat: beat)
    network.add(anna)
    network.run(seconds: 1)
    let before = anna.wakeUps
    network.run(seconds: 10)
    #expect((10...220).contains(anna.wakeUps - before))
    #expect(anna.captureOverrunFrames == 0)
  }

  @Test func `who comes is heard at once and who stays alone sleeps again`() throws {
    let network = VirtualNetwork()
    let anna = try VirtualNode("Anna", at: .host(1), beat: VirtualNode.Beat())
    let bert = try VirtualNode("Bert", at: .host(2), beat: VirtualNode.Beat())
    network.add(anna)
    network.run(seconds: 3)
    network.add(bert)
    anna.mic = Tone(hertz: 440).sample
    try bert.meet(anna, network)
    #expect(network.run(until: { bert.isConnected(to: .host(1)) }, limitSeconds: 0.2))
    #expect(
      network.run(
        until: { bert.peer(at: .host(1))?.stream?.statistics.played ?? 0 > 2 }, limitSeconds: 0.3))
    anna.station.roster.expel(bert.node, saidGoodbye: true)
    bert.station.end()
    network.run(seconds: 1)
    let before = anna.wakeUps
    network.run(seconds: 10)
    #expect(anna.wakeUps - before < 220)
  }

  /// Each packet captured is a wake-up of its own, and so is each that comes; nothing looks for more in between.
  @Test(arguments: [(true, 60.0), (false, 30)])
  func `who talks in long packets or not at all is not looked for`(
    isTalking: Bool, mostASecond: Double
  ) throws {
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
    try anna.meet(bert, network)
    network.run(seconds: 5)
    let before = bert.wakeUps
    network.run(seconds: 10)
    #expect(Double(bert.wakeUps - before) / 10 < mostASecond)
    let heard = try #require(bert.statuses(network).first)
    #expect(heard.late == 0 && heard.lost == 0 && heard.concealed == 0 && heard.underrun == 0)
  }

  /// With the talk key off there is nothing in the microphone to look at for each packet.
  @Test(arguments: [(120, 64), (480, 256), (1920, 256)])
  func `who is muted among the silent sleeps`(framesPerPacket: Int, periodFrames: Int) throws {
    let (network, anna, bert) = try pair(
      framesPerPacket, VirtualNode.Beat(periodFrames: periodFrames))
    for node in [anna, bert] { node.station.setTalk(false) }
    network.run(seconds: 5)
    let before = (anna.wakeUps, network.traffic.count)
    network.run(seconds: 10)
    #expect(Double(anna.wakeUps - before.0) / 10 < 55)
    // Each says 2.5 times a second that it does not talk, and reports once.
    #expect((50...85).contains(network.traffic.count - before.1))
    #expect(anna.captureOverrunFrames == 0)
  }

  /// The talk key opens at any moment; what is said then is as fresh as that of one who was silent with an open
  /// microphone.
  @Test(arguments: [
    (0.0, 48_000, 256), (0.007, 48_000, 64), (0.019, 44_100, 128), (0.033, 48_000, 1024),
  ])
  func `who was muted is heard at once`(waits: Double, sampleRate: Int, periodFrames: Int) throws {
    let beat = VirtualNode.Beat(periodFrames: periodFrames, sampleRate: sampleRate)
    let silent = try heardAgain(beat, after: 5 + waits) { anna, isTalking in
      if isTalking { anna.mic = Tone(hertz: 440).sample } else { anna.mic = { _ in 0 } }
    }
    let muted = try heardAgain(beat, after: 5 + waits) { anna, isTalking in
      anna.station.setTalk(isTalking)
    }
    #expect(muted.playoutDelayMilliseconds < silent.playoutDelayMilliseconds + 1)
    #expect(muted.received >= silent.received - 2)
    #expect(muted.late == silent.late && muted.concealed == silent.concealed)
    #expect(muted.lost == 0 && muted.underrun == 0)
  }

  /// What one hears of another that talks, does not for some time, and talks.
  private func heardAgain(
    _ beat: VirtualNode.Beat, after seconds: Double, _ setTalking: (VirtualNode, Bool) -> Void
  ) throws -> PeerStatus {
    let (network, anna, bert) = try pair(480, beat)
    network.run(seconds: 3)
    setTalking(anna, false)
    network.run(seconds: seconds)
    setTalking(anna, true)
    #expect(
      network.run(
        until: { bert.peer(at: .host(1))?.stream?.isSounding == true }, limitSeconds: 0.08))
    network.run(seconds: 3)
    #expect(anna.captureOverrunFrames == 0)
    return try #require(bert.statuses(network).first)
  }

  private func pair(
    _ framesPerPacket: Int, _ beat: VirtualNode.Beat
  ) throws -> (VirtualNetwork, VirtualNode, VirtualNode) {
    let network = VirtualNetwork()
    let adjust = { (configuration: inout IntercomConfiguration) in
      configuration.framesPerPacket = framesPerPacket
    }
    let anna = try VirtualNode("Anna", at: .host(1), beat: beat, adjust: adjust)
    let bert = try VirtualNode("Bert", at: .host(2), beat: beat, adjust: adjust)
    for node in [anna, bert] {
      node.mic = Tone(hertz: 440).sample
      network.add(node)
    }
    try anna.meet(bert, network)
    return (network, anna, bert)
  }
}
