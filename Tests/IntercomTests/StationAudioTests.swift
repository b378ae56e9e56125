import EventLoop
import StatusSchema
import Testing

@testable import Intercom

/// JACK comes, goes, changes and stumbles while two stations talk.
@Suite struct StationAudioTests {
  let network = VirtualNetwork()
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)
  let anna: VirtualNode
  let bert: VirtualNode
  let tone = Tone(hertz: 440)

  init() throws {
    anna = try VirtualNode("Anna", at: home, beat: VirtualNode.Beat())
    bert = try VirtualNode("Bert", at: away, beat: VirtualNode.Beat(periodFrames: 256))
    anna.mic = tone.sample
    network.add(anna)
    network.add(bert)
    try anna.meet(bert, network)
    network.run(seconds: 4)
  }

  /// What Bert hears of Anna; the swell's mean is 0.6, the middle 3 dB down on each side.
  private func levelAtBert(sampleRate: Int = 48_000) -> Double {
    Tone(hertz: 440, sampleRate: sampleRate).level(in: bert.heard.suffix(sampleRate))
      / (0.25 * 0.6 * 0.5.squareRoot())
  }

  @Test func `without Jack nothing is sent and nobody leaves`() {
    #expect(abs(levelAtBert() - 1) < 0.1)
    anna.beat = nil
    network.run(seconds: 10)
    #expect(network.media(to: away, since: network.now - 9 * VirtualNetwork.second).isEmpty)
    #expect(anna.isConnected(to: away) && bert.isConnected(to: home))
    #expect(bert.heard.suffix(48_000).allSatisfy { $0 == 0 })
    #expect(anna.ports.names.count == 1)

    anna.beat = VirtualNode.Beat(periodFrames: 64)
    network.run(seconds: 3)
    #expect(abs(levelAtBert() - 1) < 0.1)
  }

  @Test func `what one reader is told is not taken from the next`() {
    let (first, peak) = audioAndPeak()
    #expect(first.callbackWorstMicroseconds > 0)
    #expect(peak > -20)
    let (second, peakAgain) = audioAndPeak()
    #expect(second.callbackWorstMicroseconds == first.callbackWorstMicroseconds)
    #expect(second.callbackRecentWorstMicroseconds == first.callbackRecentWorstMicroseconds)
    #expect(peakAgain == peak)
  }

  private func audioAndPeak() -> (AudioStatus, peakDBFS: Double) {
    let snapshot = anna.station.snapshot(nowNanoseconds: network.now)
    let configuration = anna.station.configuration
    let node = snapshot.nodeStatus(configuration, at: .host(1), uptimeSeconds: 0)
    return (snapshot.audioStatus(configuration), node.micPeakDBFS)
  }

  @Test(arguments: [44_100, 96_000])
  func `the sound is the same when Jack comes back at another rate`(sampleRate: Int) {
    bert.beat = nil
    network.run(seconds: 1)
    bert.beat = VirtualNode.Beat(periodFrames: 256, sampleRate: sampleRate)
    network.run(seconds: 6)
    #expect(abs(levelAtBert(sampleRate: sampleRate) - 1) < 0.1)

    anna.beat = VirtualNode.Beat(periodFrames: 128, sampleRate: sampleRate)
    anna.mic = Tone(hertz: 440, sampleRate: sampleRate).sample
    network.run(seconds: 6)
    #expect(abs(levelAtBert(sampleRate: sampleRate) - 1) < 0.1)
    #expect(anna.events.count { if case .audioFault = $0 { true } else { false } } == 0)
  }

  @Test(arguments: 1...3)
  func `callbacks that are late together each find their sound`(periods: Int64) throws {
    let before = try #require(bert.statuses(network).first)
    bert.stalledUntilNanoseconds = network.now + periods * 256 * VirtualNetwork.second / 48_000
    network.run(seconds: 2)
    let after = try #require(bert.statuses(network).first)
    #expect(after.underrun == before.underrun)
    #expect(after.late == before.late)
    #expect(abs(levelAtBert() - 1) < 0.1)
  }

  @Test(.timeLimit(.minutes(1)))
  func `periods of which a peers ring holds less than are late end their decoding`() throws {
    bert.beat = VirtualNode.Beat(periodFrames: 8192, sampleRate: 192_000)
    network.run(seconds: 2)
    bert.stalledUntilNanoseconds = network.now + 3 * 8192 * VirtualNetwork.second / 192_000
    network.run(seconds: 3)
    #expect(abs(levelAtBert(sampleRate: 192_000) - 1) < 0.1)
  }

  @Test func `a loop that does not come to run is the machines`() throws {
    #expect(bert.station.playout.underruns.periods(ofFrames: 256) == [:])
    bert.heldUpUntilNanoseconds = network.now + VirtualNetwork.second / 50
    network.run(seconds: 2)
    let status = try #require(bert.statuses(network).first)
    #expect(status.underrun > 0)
    #expect(bert.station.playout.underruns.periods(ofFrames: 256) == ["wakeUps": status.underrun])
  }

  @Test func `a talker whose Jack stalls is heard whole afterwards`() throws {
    anna.stalledUntilNanoseconds = network.now + VirtualNetwork.second / 20
    network.run(seconds: 6)
    let status = try #require(bert.statuses(network).first)
    #expect(status.lost == 0)
    #expect(status.isTalking)
    #expect(abs(levelAtBert() - 1) < 0.1)
  }
}
