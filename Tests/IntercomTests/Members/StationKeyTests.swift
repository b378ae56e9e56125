import Cryptography
import EventLoop
import Media
import Mesh
import StatusSchema
import TestKit
import Testing

@testable import Intercom

/// Keys that roll while people talk, and those who come late.
@Suite struct StationKeyTests {
  private func network(delayed: Bool, seed: UInt64) -> VirtualNetwork {
    var model = LinkModel()
    if delayed {
      model.delayNanoseconds = 100_000_000
      model.jitter = .uniform(nanoseconds: 20_000_000)
    }
    return VirtualNetwork(model: model, seed: seed)
  }

  private func talkers(
    _ names: [String], on network: VirtualNetwork
  ) throws -> [VirtualNode] {
    let nodes = try names.enumerated().map { index, name in
      let node = try VirtualNode(name, at: .host(index + 1), beat: VirtualNode.Beat()) {
        $0.playoutDelay = .fixed(nanoseconds: 60_000_000)
      }
      node.mic = Tone(hertz: 440 + 260 * Double(index)).sample
      network.add(node)
      return node
    }
    for node in nodes {
      for other in nodes where other !== node { try node.admit(other, network) }
    }
    return nodes
  }

  @Test(arguments: Seeds.first(2))
  func `a key that rolls costs no packet`(seed: UInt64) throws {
    let network = network(delayed: true, seed: seed)
    let nodes = try talkers(["Anna", "Bert", "Carl"], on: network)
    network.run(seconds: 4)
    for roll in 1...20 {
      let anna = nodes[0]
      let key = try anna.makeNextKey()
      #expect(key.epoch == UInt64(roll))
      network.run(seconds: 0.1)
      #expect(try nodes[1].install(key, of: anna, network))
      network.run(seconds: 0.4)
      #expect(try nodes[2].install(key, of: anna, network))
      anna.station.protection.base.useNextKey()
      network.run(seconds: 0.5)
    }
    #expect(nodes[0].ownKey.epoch == 20)
    for node in nodes.dropFirst() {
      let status = try #require(node.statuses(network).first { $0.name == "Anna" })
      #expect(status.received > 2000, "seed \(seed)")
      #expect(status.lost == 0 && status.late == 0 && status.concealed == 0, "seed \(seed)")
      #expect(status.duplicate == 0 && status.underrun == 0, "seed \(seed)")
      #expect(node.station.drops.byReason.values.allSatisfy { $0 == 0 }, "seed \(seed)")
    }
  }

  @Test func `older keys are good for five seconds more`() throws {
    let network = network(delayed: false, seed: 1)
    let nodes = try talkers(["Anna", "Bert"], on: network)
    let (anna, bert) = (nodes[0], nodes[1])
    network.run(seconds: 2)
    let key = try anna.makeNextKey()
    #expect(try bert.install(key, of: anna, network))
    network.run(seconds: 4.8)
    #expect(bert.drops("unknownKey") == 0)
    network.run(seconds: 0.6)
    #expect(bert.drops("unknownKey") > 10)
    anna.station.protection.base.useNextKey()
    let before = bert.drops("unknownKey")
    network.run(seconds: 2)
    #expect(bert.drops("unknownKey") <= before + 1)
    // Once more, as when a connection takes the place of another: nothing changes.
    #expect(try bert.install(key, of: anna, network))
    #expect(bert.drops("unknownKey") <= before + 1)
  }

  @Test func `a next key made while another waits has a higher epoch`() throws {
    let network = network(delayed: false, seed: 1)
    let nodes = try talkers(["Anna", "Bert"], on: network)
    let (anna, bert) = (nodes[0], nodes[1])
    let (first, second) = (try anna.makeNextKey(), try anna.makeNextKey())
    #expect(first.epoch == 1 && second.epoch == 2 && anna.ownKey.epoch == 0)
    for key in [first, second] { #expect(try bert.install(key, of: anna, network)) }
    anna.station.protection.base.useNextKey()
    #expect(anna.ownKey == second)
    anna.station.protection.base.useNextKey()
    #expect(anna.ownKey == second)
    network.run(seconds: 2)
    #expect(bert.connected(anna) != nil && bert.drops("unknownKey") == 0)
  }

  @Test func `who joins after all numbers have wrapped hears at once`() throws {
    let network = network(delayed: false, seed: 1)
    let nodes = try talkers(["Anna", "Bert"], on: network)
    let (anna, bert) = (nodes[0], nodes[1])
    network.run(seconds: 2)
    // As many packets as there are sequence numbers, of which nobody hears.
    let last = try #require(network.media(to: .host(2)).last).bytes
    let number = UInt16(last[2]) << 8 | UInt16(last[3])
    let protection = anna.station.protection
    for step in 1...65_536 {
      var packet = Array(last.prefix(20)) + [UInt8](repeating: 0, count: 40)
      let passed = number &+ UInt16(truncatingIfNeeded: step)
      // What a header extension is called in clear (RFC 8285 §4.2).
      (packet[12], packet[13]) = (0xBE, 0xDE)
      (packet[2], packet[3]) = (UInt8(passed >> 8), UInt8(passed & 0xFF))
      var span = packet.mutableSpan
      var bytes = unsafe span.mutableBytes
      #expect(protection.base.seal(&bytes, byteCount: 24, variant: .first) == 44)
    }
    let carl = try VirtualNode("Carl", at: .host(3), beat: VirtualNode.Beat())
    network.add(carl)
    try anna.admit(carl, network)
    try carl.admit(anna, network)
    network.run(seconds: 2)
    for node in [bert, carl] {
      #expect(Tone(hertz: 440).level(in: node.heard.suffix(48_000)) > 0.08)
      #expect(node.drops("notAuthentic") == 0)
    }
    #expect(try #require(network.media(to: .host(3)).last).bytes.suffix(2) == [0, 1])
  }
}
