import EventLoop
import Glibc
import Media
import StatusSchema
import TestKit
import Testing

@testable import Intercom

/// A clean link between machines whose threads are woken late now and then: how often that is heard.
@Suite struct StationClickTests {
  /// A minute.
  struct Outcome: CustomStringConvertible {
    /// Clicks and holes in a tone.
    var heard = 0.0
    /// Sound made up by the media loop and by the callback, heard or not: 2.5 ms to a period.
    var madeUp = 0.0
    var playoutMilliseconds = 0.0
    var description: String {
      "\(heard) heard, \(madeUp) made up, playout delay \(playoutMilliseconds) ms"
    }
  }

  private static let hertz = 440.0

  private static func tone(_ frame: Int) -> Float {
    Float(0.25 * sin(2 * .pi * hertz * Double(frame) / 48_000))
  }

  /// Two minutes after the first one, where the talker's clock is faster.
  static func outcome(_ profile: Profile?, driftPPM: Double = 0, seed: UInt64) throws -> Outcome {
    let (home, away) = (SocketAddress.host(1), SocketAddress.host(2))
    let network = VirtualNetwork(seed: seed)
    let beat = VirtualNode.Beat(periodFrames: profile?.settings.periodFrames ?? 128)
    var faster = beat
    faster.driftPPM = driftPPM
    let nodes = [
      try VirtualNode("Anna", at: home, beat: faster) { if let profile { $0.take(profile) } },
      try VirtualNode("Bert", at: away, beat: beat) { if let profile { $0.take(profile) } },
    ]
    for (index, node) in nodes.enumerated() {
      node.mic = Self.tone
      let base = 10 * seed + UInt64(index)
      node.wakeUpJitter = (
        callback: WakeUpJitter(seed: base), loop: WakeUpJitter(seed: base + 1000)
      )
      network.add(node)
      network.run(seconds: 0.000_37 * Double(seed))
    }
    try nodes[0].meet(nodes[1], network)
    network.run(seconds: 60)
    let stream = try #require(nodes[1].peer(at: home)?.stream)
    func events() -> Int {
      stream.statistics.concealmentEvents
        + (nodes[1].statuses(network).first { $0.name == "Anna" }?.underrun ?? 0)
    }
    let (before, frames) = (events(), nodes[1].heard.count)
    network.run(seconds: 120)
    let heard = Array(nodes[1].heard[frames...])
    #expect(Tone(hertz: hertz).level(in: heard) > 0.16)
    let clicks = ToneEvents.positions(in: heard, hertz: hertz, sampleRate: 48_000)
    return Outcome(
      heard: Double(clicks.count) / 2, madeUp: Double(events() - before) / 2,
      playoutMilliseconds: Double(stream.statistics.playoutDelayNanoseconds) / 1e6)
  }

  @Test(arguments: [Profile.stage, nil, .wifi])
  func `on a clean link one event a minute is heard at most`(profile: Profile?) throws {
    for seed in Seeds.first(3) {
      let outcome = try Self.outcome(profile, seed: seed)
      #expect(outcome.heard <= 1 && outcome.madeUp <= 6, "seed \(seed): \(outcome)")
    }
  }

  @Test(arguments: [100.0, -100])
  func `nor is more heard where clocks differ`(driftPPM: Double) throws {
    for seed in Seeds.first(3) {
      let outcome = try Self.outcome(.stage, driftPPM: driftPPM, seed: seed)
      #expect(outcome.heard <= 1 && outcome.madeUp <= 6, "seed \(seed): \(outcome)")
    }
  }

  /// Each half second the media loop does not come to run for as long as the callback conceals as loud as before.
  @Test(arguments: [(64, 440.0), (64, 1000), (128, 440), (256, 440)])
  func `what a late loop leaves out of a tone is not heard`(
    periodFrames: Int, hertz: Double
  ) throws {
    let network = VirtualNetwork(seed: 1)
    let beat = VirtualNode.Beat(periodFrames: periodFrames)
    let nodes = [
      try VirtualNode("Anna", at: .host(1), beat: beat) { $0.take(.stage) },
      try VirtualNode("Bert", at: .host(2), beat: beat) { $0.take(.stage) },
    ]
    nodes[0].mic = { Float(0.25 * sin(2 * .pi * hertz * Double($0) / 48_000)) }
    for node in nodes { network.add(node) }
    try nodes[0].meet(nodes[1], network)
    network.run(seconds: 10)
    func underruns() -> Int { nodes[1].statuses(network).first?.underrun ?? 0 }
    let (before, frames) = (underruns(), nodes[1].heard.count)
    for _ in 0..<20 {
      nodes[1].heldUpUntilNanoseconds = network.now + 12_000_000
      network.run(seconds: 0.5)
    }
    #expect(underruns() >= before + 20)
    let heard = Array(nodes[1].heard[frames...])
    #expect(ToneEvents.positions(in: heard, hertz: hertz, sampleRate: 48_000) == [])
  }
}
