import EventLoop
import StatusSchema
import Testing

@testable import Intercom

/// How a station and its peers come to talk.
@Suite struct StationContactTests {
  let network = VirtualNetwork()
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  private func node(beat: VirtualNode.Beat? = nil) throws -> VirtualNode {
    let node = try VirtualNode("Anna", at: home, beat: beat)
    network.add(node)
    return node
  }

  @Test func `a named peer is called once a second until it answers`() throws {
    let node = try node()
    node.station.addNamed(away, nowNanoseconds: network.now)
    network.run(seconds: 60)
    #expect((55...70).contains(network.reports(to: away).count))
    #expect(node.peer(at: away)?.state == .connecting)
    #expect(node.statuses(network).first?.state == .connecting)
  }

  @Test func `a peer that proves its address gets a place in the mix and a port`() throws {
    let node = try node()
    let bert = ScriptedPeer("Bert", at: away, to: home, ssrc: 2)
    network.add(bert)
    node.station.addNamed(away, nowNanoseconds: network.now)
    #expect(network.run(until: { node.isConnected(to: away) }, limitSeconds: 1))

    let slot = try #require(node.peer(at: away)?.slot)
    #expect(node.ports.names == [slot: "Bert"])
    let status = try #require(node.statuses(network).first)
    #expect(status.name == "Bert" && status.state == .connected)
    #expect(status.port == "comlink:peer_Bert")
    let connected = node.events.count {
      if case .peerConnected("Bert", away.description, "comlink:peer_Bert") = $0 {
        true
      } else {
        false
      }
    }
    #expect(connected == 1)
  }

  @Test func `a stranger who proves its address is connected too`() throws {
    let node = try node()
    network.add(ScriptedPeer("Bert", at: away, to: home, ssrc: 2))
    #expect(network.run(until: { node.isConnected(to: away) }, limitSeconds: 1))
  }

  @Test func `without proof there is no sound no port and soon no place`() throws {
    let node = try node(beat: VirtualNode.Beat())
    node.mic = Tone(hertz: 440).sample
    let forged = ScriptedPeer("Forged", at: away, to: home, ssrc: 2)
    forged.listens = false
    network.add(forged)
    network.run(seconds: 2)
    #expect(node.peer(at: away)?.state == .contacted)
    #expect(node.ports.names.isEmpty)
    forged.speaks = false
    network.run(seconds: 3.2)
    #expect(node.peer(at: away) == nil)
    #expect(network.media(to: away).isEmpty)
    #expect(node.events.all.isEmpty)
  }

  @Test func `a named peer without proof is called on`() throws {
    let node = try node()
    let deaf = ScriptedPeer("Deaf", at: away, to: home, ssrc: 2)
    deaf.listens = false
    network.add(deaf)
    node.station.addNamed(away, nowNanoseconds: network.now)
    network.run(seconds: 10)
    #expect(node.peer(at: away)?.state == .contacted)
    deaf.speaks = false
    network.run(seconds: 4)
    #expect(node.peer(at: away)?.state == .connecting)
    (deaf.speaks, deaf.listens) = (true, true)
    #expect(network.run(until: { node.isConnected(to: away) }, limitSeconds: 3))
  }

  @Test func `naming one side connects both`() throws {
    let (anna, bert) = (try node(), try VirtualNode("Bert", at: away))
    network.add(bert)
    anna.station.addNamed(away, nowNanoseconds: network.now)
    #expect(
      network.run(
        until: { anna.isConnected(to: away) && bert.isConnected(to: home) }, limitSeconds: 1))
    #expect(anna.ports.names.values.sorted() == ["Bert"])
    #expect(bert.ports.names.values.sorted() == ["Anna"])
  }

  @Test func `naming each other makes one connection`() throws {
    let (anna, bert) = (try node(), try VirtualNode("Bert", at: away))
    network.add(bert)
    anna.station.addNamed(away, nowNanoseconds: network.now)
    bert.station.addNamed(home, nowNanoseconds: network.now)
    bert.station.addNamed(home, nowNanoseconds: network.now)
    network.run(seconds: 3)
    #expect(anna.station.peers.all.count == 1 && anna.isConnected(to: away))
    #expect(bert.station.peers.all.count == 1 && bert.isConnected(to: home))
  }

  @Test func `a stranger that is named later keeps its connection and is then called again`() throws
  {
    let node = try node()
    let bert = ScriptedPeer("Bert", at: away, to: home, ssrc: 2)
    network.add(bert)
    #expect(network.run(until: { node.isConnected(to: away) }, limitSeconds: 1))
    node.station.addNamed(away, nowNanoseconds: network.now)
    #expect(node.isConnected(to: away))
    bert.sayGoodbye()
    network.run(seconds: 0.1)
    #expect(node.peer(at: away)?.state == .connecting)
  }
}
