import EventLoop
import StatusSchema
import Testing

@testable import Intercom

/// How a station and its members come to talk.
@Suite struct StationContactTests {
  let network = VirtualNetwork()
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  private func node(beat: VirtualNode.Beat? = nil) throws -> VirtualNode {
    let node = try VirtualNode("Anna", at: home, beat: beat)
    network.add(node)
    return node
  }

  private func scripted() throws -> ScriptedPeer {
    let bert = try ScriptedPeer("Bert", at: away, to: home, ssrc: 2)
    network.add(bert)
    return bert
  }

  @Test func `a member is called once a second until it answers`() throws {
    let node = try node()
    try node.meet(try ScriptedPeer("Bert", at: away, to: home, ssrc: 2), network)
    network.run(seconds: 60)
    #expect((55...70).contains(network.reports(to: away).count))
    #expect(node.peer(at: away)?.state == .connecting)
    #expect(node.statuses(network).first?.state == .connecting)
  }

  @Test func `a member that proves its address gets a place in the mix and a port`() throws {
    let node = try node()
    try node.meet(try scripted(), network)
    #expect(network.run(until: { node.isConnected(to: away) }, limitSeconds: 1))

    let slot = try #require(node.peer(at: away)?.slot)
    #expect(node.ports.names == [slot: "Bert"])
    let status = try #require(node.statuses(network).first)
    #expect(status.name == "Bert" && status.state == .connected)
    #expect(status.port == "comlink:peer_Bert")
    let connected = node.events.count {
      if case .peerConnected("Bert", away, PeerPort(client: "comlink", peer: "Bert")) = $0 {
        true
      } else {
        false
      }
    }
    #expect(connected == 1)
  }

  @Test func `a member that proves an address nobody told is connected too`() throws {
    let node = try node()
    try node.meet(try scripted(), at: [], network)
    #expect(network.run(until: { node.isConnected(to: away) }, limitSeconds: 1))
  }

  @Test func `without proof there is no sound no port and soon no place`() throws {
    let node = try node(beat: VirtualNode.Beat())
    node.mic = Tone(hertz: 440).sample
    let deaf = try scripted()
    deaf.listens = false
    try node.meet(deaf, at: [], network)
    network.run(seconds: 2)
    #expect(node.peer(at: away)?.state == .contacted)
    #expect(node.ports.names.isEmpty)
    deaf.speaks = false
    network.run(seconds: 3.2)
    #expect(node.peer(at: away) == nil)
    #expect(network.media(to: away).isEmpty)
    #expect(node.events.all.isEmpty)
  }

  @Test func `a told address without proof is called on`() throws {
    let node = try node()
    let deaf = try scripted()
    deaf.listens = false
    try node.meet(deaf, network)
    network.run(seconds: 10)
    #expect(node.peer(at: away)?.state == .contacted)
    deaf.speaks = false
    network.run(seconds: 4)
    #expect(node.peer(at: away)?.state == .connecting)
    (deaf.speaks, deaf.listens) = (true, true)
    #expect(network.run(until: { node.isConnected(to: away) }, limitSeconds: 3))
  }

  @Test func `an address on one side connects both`() throws {
    let (anna, bert) = (try node(), try VirtualNode("Bert", at: away))
    network.add(bert)
    try anna.admit(bert, network)
    try bert.admit(anna, at: [], network)
    #expect(
      network.run(
        until: { anna.isConnected(to: away) && bert.isConnected(to: home) }, limitSeconds: 1))
    #expect(anna.ports.names.values.sorted() == ["Bert"])
    #expect(bert.ports.names.values.sorted() == ["Anna"])
  }

  @Test func `members that are told twice are connected once`() throws {
    let (anna, bert) = (try node(), try VirtualNode("Bert", at: away))
    network.add(bert)
    for _ in 0..<2 { try anna.meet(bert, network) }
    network.run(seconds: 3)
    #expect(anna.station.seen.count == 1 && anna.isConnected(to: away))
    #expect(bert.station.seen.count == 1 && bert.isConnected(to: home))
  }

  @Test func `an address that is told later keeps its connection and is then called again`() throws
  {
    let node = try node()
    let bert = try scripted()
    try node.meet(bert, at: [], network)
    #expect(network.run(until: { node.isConnected(to: away) }, limitSeconds: 1))
    node.admit(bert, at: [away], network)
    #expect(node.isConnected(to: away))
    bert.speaks = false
    network.run(seconds: 6)
    #expect(node.peer(at: away)?.state == .connecting)
  }
}
