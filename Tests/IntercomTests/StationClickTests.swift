import EventLoop
import Media
import StatusSchema
import TestKit
import Testing

@testable import Intercom

/// A clean link between machines whose threads are woken late now and then: how often that is heard.
@Suite struct StationClickTests {
  struct Outcome: CustomStringConvertible {
    var events = 0.0
    var playoutMilliseconds = 0.0
    var description: String { "\(events) events a minute, playout delay \(playoutMilliseconds) ms" }
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
      node.mic = Tone(hertz: 220).sample
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
    let before = events()
    network.run(seconds: 120)
    return Outcome(
      events: Double(events() - before) / 2,
      playoutMilliseconds: Double(stream.statistics.playoutDelayNanoseconds) / 1e6)
  }

  @Test(arguments: [Profile.stage, nil, .wifi])
  func `on a clean link one event a minute is heard at most`(profile: Profile?) throws {
    for seed in Seeds.first(1) {
      let outcome = try Self.outcome(profile, seed: seed)
      #expect(outcome.events <= 1, "seed \(seed): \(outcome)")
    }
  }

  @Test(arguments: [100.0, -100])
  func `nor is more heard where clocks differ`(driftPPM: Double) throws {
    for seed in Seeds.first(1) {
      let outcome = try Self.outcome(.stage, driftPPM: driftPPM, seed: seed)
      #expect(outcome.events <= 1, "seed \(seed): \(outcome)")
    }
  }
}
