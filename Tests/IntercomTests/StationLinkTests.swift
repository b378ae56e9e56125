import EventLoop
import TestKit
import Testing

@testable import Intercom

/// Contact, presence and end over links that lose, delay, reorder and repeat.
@Suite struct StationLinkTests {
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  private func pair(
    on network: VirtualNetwork, beat: VirtualNode.Beat? = nil
  ) throws -> (anna: VirtualNode, bert: VirtualNode) {
    let anna = try VirtualNode("Anna", at: home, beat: beat)
    let bert = try VirtualNode("Bert", at: away, beat: beat)
    network.add(anna)
    network.add(bert)
    try anna.meet(bert, network)
    return (anna, bert)
  }

  private func isWhole(_ anna: VirtualNode, _ bert: VirtualNode) -> Bool {
    anna.isConnected(to: away) && bert.isConnected(to: home)
  }

  private func departures(_ node: VirtualNode) -> Int {
    node.events.count { if case .peerLeft = $0 { true } else { false } }
  }

  @Test(arguments: UInt64(1)...20)
  func `half of all lost delays contact but does not prevent it`(seed: UInt64) throws {
    var model = LinkModel()
    model.loss = 0.5
    let network = VirtualNetwork(model: model, seed: seed)
    let (anna, bert) = try pair(on: network)
    #expect(network.run(until: { isWhole(anna, bert) }, limitSeconds: 60), "seed \(seed)")
  }

  @Test(arguments: UInt64(1)...3)
  func `talk keeps two nodes together whatever is lost`(seed: UInt64) throws {
    var model = LinkModel()
    (model.loss, model.duplication, model.reorder) = (0.4, 0.1, 0.1)
    model.jitter = .uniform(nanoseconds: 30_000_000)
    let network = VirtualNetwork(model: model, seed: seed)
    let (anna, bert) = try pair(on: network, beat: VirtualNode.Beat(periodFrames: 256))
    (anna.mic, bert.mic) = (Tone(hertz: 440).sample, Tone(hertz: 700).sample)
    #expect(network.run(until: { isWhole(anna, bert) }, limitSeconds: 60), "seed \(seed)")
    network.run(seconds: 20)
    #expect(isWhole(anna, bert), "seed \(seed)")
    #expect(departures(anna) == 0 && departures(bert) == 0, "seed \(seed)")
    #expect(anna.station.seen.count == 1 && bert.station.seen.count == 1)
  }

  @Test(arguments: UInt64(1)...10)
  func `stragglers after a farewell raise no ghost`(seed: UInt64) throws {
    var model = LinkModel()
    (model.duplication, model.reorder) = (0.5, 0.5)
    model.reorderNanoseconds = 60_000_000
    let network = VirtualNetwork(model: model, seed: seed)
    let (anna, bert) = try pair(on: network, beat: VirtualNode.Beat(periodFrames: 256))
    anna.mic = Tone(hertz: 440).sample
    #expect(network.run(until: { isWhole(anna, bert) }), "seed \(seed)")
    network.run(seconds: 1 + Double(seed) / 10)
    anna.station.end()
    bert.station.roster.expel(anna.node, saidGoodbye: true)
    network.run(seconds: 4)
    #expect(bert.station.seen.isEmpty, "seed \(seed)")
    #expect(departures(bert) == 1, "seed \(seed)")
    #expect(bert.ports.names.isEmpty, "seed \(seed)")
  }

  @Test func `a break is bridged and mends by itself`() throws {
    let network = VirtualNetwork()
    let (anna, bert) = try pair(on: network)
    #expect(network.run(until: { isWhole(anna, bert) }))
    network.cut(away)
    network.run(seconds: 3)
    network.mend(away)
    network.run(seconds: 3)
    #expect(departures(anna) == 0 && departures(bert) == 0)

    network.cut(away)
    network.run(seconds: 20)
    #expect(departures(anna) == 1 && departures(bert) == 1)
    network.mend(away)
    #expect(network.run(until: { isWhole(anna, bert) }, limitSeconds: 3))
  }
}
