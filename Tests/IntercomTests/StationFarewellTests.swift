import EventLoop
import StatusSchema
import Testing

@testable import Intercom

/// How peers go, by silence, and how this node goes; a goodbye comes by the control connection (`StationMemberTests`).
@Suite struct StationFarewellTests {
  let network = VirtualNetwork()
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  private func connectedPair(
    isTold: Bool
  ) throws -> (node: VirtualNode, bert: ScriptedPeer) {
    let node = try VirtualNode("Anna", at: home)
    let bert = try ScriptedPeer("Bert", at: away, to: home, ssrc: 2)
    network.add(node)
    network.add(bert)
    try node.meet(bert, at: isTold ? [away] : [], network)
    try #require(network.run(until: { node.isConnected(to: away) }, limitSeconds: 1))
    return (node, bert)
  }

  private func departures(_ node: VirtualNode, saidGoodbye: Bool) -> Int {
    node.events.count {
      if case .peerLeft("Bert", away, saidGoodbye) = $0 { true } else { false }
    }
  }

  /// Any member can make one in another's name.
  @Test func `a goodbye by RTCP is counted and not believed`() throws {
    let (node, bert) = try connectedPair(isTold: true)
    for _ in 0..<3 { bert.sayGoodbye() }
    network.run(seconds: 2)
    #expect(node.isConnected(to: away) && node.ports.names.count == 1)
    #expect(node.drops("unprovedGoodbye") == 3)
    #expect(departures(node, saidGoodbye: true) == 0)
  }

  @Test func `silence is shown soon and taken for gone within five seconds`() throws {
    let (node, bert) = try connectedPair(isTold: false)
    network.run(seconds: 3)
    bert.speaks = false
    let last = try #require(node.peer(at: away)?.heardNanoseconds)
    network.run(seconds: Double(last + 2_700_000_000 - network.now) / 1e9)
    #expect(node.statuses(network).first?.state == .silent)
    network.run(seconds: 1.7)
    #expect(node.isConnected(to: away))
    network.run(seconds: 0.6)
    #expect(node.peer(at: away) == nil)
    #expect(departures(node, saidGoodbye: false) == 1)
  }

  @Test func `a told address that fell silent is called until it is back`() throws {
    let (node, bert) = try connectedPair(isTold: true)
    bert.speaks = false
    network.run(seconds: 6)
    #expect(node.peer(at: away)?.state == .connecting)
    let gone = network.now
    network.run(seconds: 10)
    #expect((7...14).contains(network.reports(to: away, since: gone).count))
    bert.speaks = true
    #expect(network.run(until: { node.isConnected(to: away) }, limitSeconds: 3))
    #expect(node.ports.names.count == 1)
  }

  @Test func `after its end a node says nothing, whoever talks to it`() throws {
    let node = try VirtualNode("Anna", at: home, beat: VirtualNode.Beat())
    node.mic = Tone(hertz: 440).sample
    network.add(node)
    for number in 2...4 {
      let other = try ScriptedPeer("P\(number)", at: .host(number), to: home, ssrc: UInt32(number))
      // The last one has not proved its address.
      other.listens = number < 4
      network.add(other)
      try node.meet(other, network)
    }
    network.run(seconds: 1.5)
    #expect(!network.media(to: away).isEmpty)
    node.station.end()
    let gone = network.now + 1
    network.run(seconds: 3)
    #expect(network.reports(to: home, since: gone).count > 5)
    #expect(network.traffic.allSatisfy { $0.source != home || $0.arrivalNanoseconds < gone })
  }
}
