import EventLoop
import StatusSchema
import Testing

@testable import Intercom

/// How peers go, by farewell or by silence, and how this node goes.
@Suite struct StationFarewellTests {
  let network = VirtualNetwork()
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  private func connectedPair(
    beat: VirtualNode.Beat? = nil, isNamed: Bool
  ) throws -> (node: VirtualNode, bert: ScriptedPeer) {
    let node = try VirtualNode("Anna", at: home, beat: beat)
    let bert = ScriptedPeer("Bert", at: away, to: home, ssrc: 2)
    network.add(node)
    network.add(bert)
    if isNamed { node.station.addNamed(away, nowNanoseconds: network.now) }
    try #require(network.run(until: { node.isConnected(to: away) }, limitSeconds: 1))
    return (node, bert)
  }

  private func departures(_ node: VirtualNode, saidGoodbye: Bool) -> Int {
    node.events.count {
      if case .peerLeft("Bert", away.description, saidGoodbye) = $0 { true } else { false }
    }
  }

  @Test(arguments: [true, false])
  func `a farewell is believed at once`(isNamed: Bool) throws {
    let (node, bert) = try connectedPair(isNamed: isNamed)
    bert.sayGoodbye()
    network.run(seconds: 0.05)
    #expect(node.peer(at: away)?.state == (isNamed ? .connecting : nil))
    #expect(node.ports.names.isEmpty)
    #expect(departures(node, saidGoodbye: true) == 1)
  }

  @Test func `whoever left gets no more sound`() throws {
    let (node, bert) = try connectedPair(beat: VirtualNode.Beat(), isNamed: true)
    node.mic = Tone(hertz: 440).sample
    network.run(seconds: 1)
    #expect(!network.media(to: away).isEmpty)
    bert.sayGoodbye()
    network.run(seconds: 0.05)
    let gone = network.now
    network.run(seconds: 2)
    #expect(network.media(to: away, since: gone).isEmpty)
    #expect((1...3).contains(network.reports(to: away, since: gone).count))
  }

  @Test func `silence is shown soon and taken for gone within five seconds`() throws {
    let (node, bert) = try connectedPair(isNamed: false)
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

  @Test func `a named peer that fell silent is called until it is back`() throws {
    let (node, bert) = try connectedPair(isNamed: true)
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

  @Test func `this nodes farewell reaches all and is its last word`() throws {
    let node = try VirtualNode("Anna", at: home, beat: VirtualNode.Beat())
    node.mic = Tone(hertz: 440).sample
    network.add(node)
    let others = (2...4).map {
      ScriptedPeer("P\($0)", at: .host($0), to: home, ssrc: UInt32($0))
    }
    for other in others { network.add(other) }
    // The last one has not proved its address.
    others[2].listens = false
    network.run(seconds: 1.5)
    node.station.sayGoodbye()
    network.run(seconds: 0.1)
    let gone = network.now
    for other in others {
      #expect(network.reports(to: other.addresses[0]).count(where: \.isFarewell) == 1)
      #expect(network.reports(to: other.addresses[0]).last?.isFarewell == true)
      #expect(network.media(to: other.addresses[0], since: gone).isEmpty)
    }
    network.run(seconds: 3)
    #expect(network.traffic.filter { $0.source == home && $0.arrivalNanoseconds >= gone }.isEmpty)
  }

  @Test func `a strangers farewell opens no place`() throws {
    let node = try VirtualNode("Anna", at: home)
    let bert = ScriptedPeer("Bert", at: away, to: home, ssrc: 2)
    bert.sayGoodbye()
    network.add(node)
    network.add(bert)
    network.run(seconds: 0.1)
    #expect(node.station.peers.all.isEmpty)
    #expect(network.reports(to: away).isEmpty)
  }

  @Test func `both ends of a nodes farewell agree`() throws {
    let (anna, bert) = (try VirtualNode("Anna", at: home), try VirtualNode("Bert", at: away))
    network.add(anna)
    network.add(bert)
    anna.station.addNamed(away, nowNanoseconds: network.now)
    network.run(seconds: 1)
    anna.station.sayGoodbye()
    network.run(seconds: 0.1)
    #expect(bert.station.peers.all.isEmpty)
    #expect(bert.ports.names.isEmpty)
  }
}
