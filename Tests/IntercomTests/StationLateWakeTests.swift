import EventLoop
import Media
import StatusSchema
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
    try anna.meet(bert, network)
    network.run(seconds: 3)
    let stream = try #require(bert.peer(at: home)?.stream)
    let before = stream.statistics
    bert.latenessNanoseconds = nanoseconds
    network.run(seconds: 10)
    return (stream.statistics, before)
  }

  /// Bert's loop is held up for so long, again and again, at any moment of its periods:
  /// the holes of 10 s in Anna's voice.
  ///
  /// - Parameter companion: whether Carl talks, too, in packets of 2.5 ms.
  private func holes(
    heldUpNanoseconds held: Int64, phase: Int64, framesPerPacket: Int, periodFrames: Int,
    companion: Bool = false
  ) throws -> Int {
    let network = VirtualNetwork()
    let beat = VirtualNode.Beat(periodFrames: periodFrames)
    let anna = try VirtualNode("Anna", at: home, beat: beat) {
      $0.framesPerPacket = framesPerPacket
    }
    let bert = try VirtualNode("Bert", at: away, beat: beat)
    let tone = Tone(hertz: 220)
    anna.mic = { tone.sample($0) }
    network.add(anna)
    network.run(seconds: Double(phase) * 1e-9)
    network.add(bert)
    try anna.meet(bert, network)
    if companion {
      let carl = try VirtualNode("Carl", at: .host(3), beat: beat) { $0.framesPerPacket = 120 }
      carl.mic = { tone.sample($0) }
      network.add(carl)
      try carl.meet(bert, network)
    }
    network.run(seconds: 4)
    let peer = try #require(bert.peer(at: home))
    #expect(peer.stream?.isPlaying == true)
    let underruns = { bert.statuses(network).first { $0.name == "Anna" }?.underrun }
    let before = try #require(underruns())
    for _ in 0..<480 {
      // No multiple of periods or packets.
      network.run(seconds: 0.0207)
      bert.heldUpUntilNanoseconds = network.now + held
    }
    return try #require(underruns()) - before
  }

  /// Sound that has long been there is decoded before its last moment, so that a wake-up may come late.
  @Test(arguments: [2_000_000, 3_000_000, 4_000_000] as [Int64])
  func `a short hold up makes no hole where sound is there`(phase: Int64) throws {
    let holes = try holes(
      heldUpNanoseconds: 800_000, phase: phase, framesPerPacket: 480, periodFrames: 256)
    #expect(holes == 0)
  }

  /// Packets of 2.5 ms are not looked for early themselves, and take nothing from others.
  @Test(arguments: [2_000_000, 3_000_000, 4_000_000] as [Int64])
  func `a talker with short packets leaves the others their early look`(phase: Int64) throws {
    let holes = try holes(
      heldUpNanoseconds: 800_000, phase: phase, framesPerPacket: 480, periodFrames: 256,
      companion: true)
    #expect(holes == 0)
  }

  @Test(arguments: [PlayoutDelay.auto, .fixed(nanoseconds: 40_000_000)])
  func `a callback in the midst of a wake up does not stretch the sound`(delay: PlayoutDelay) throws
  {
    let (after, before) = try statistics(late: 1_000_000, delay: delay)
    #expect(after.insertions == before.insertions)
    #expect(after.removals == before.removals)
  }
}
