import Audio
import JackSession
import EventLoop
import StatusSchema
import Testing

@testable import Intercom

/// What happens when JACK has no port for a peer.
@Suite struct StationPortTests {
  let network = VirtualNetwork()
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)
  let node: VirtualNode
  let bert: ScriptedPeer

  init() throws {
    node = try VirtualNode("Anna", at: home)
    bert = try ScriptedPeer("Bert", at: away, to: home, ssrc: 2)
    network.add(node)
    network.add(bert)
    try node.meet(bert, network)
  }

  private var faults: [String] {
    node.events.all.compactMap { if case .audioFault(let fault) = $0 { "\(fault)" } else { nil } }
  }

  @Test func `a port that was not taken on is asked for until it is and told once`() throws {
    node.ports.refusals = 20
    try #require(network.run(until: { node.isConnected(to: away) }))
    #expect(node.ports.names.isEmpty)
    #expect(node.statuses(network).first?.port == "")
    network.run(seconds: 0.5)
    #expect(faults.count == 1)
    #expect(faults.first?.contains("Bert") == true)
    #expect(faults.first?.contains("restart the JACK server") == true)
    network.run(seconds: 1.5)
    #expect(node.ports.names.values.sorted() == ["Bert"])
    #expect(node.statuses(network).first?.port == "comlink:peer_Bert")
    #expect(faults.count == 1)
  }

  @Test func `a port that Jack refuses is not in the status until it is there`() throws {
    try #require(network.run(until: { node.isConnected(to: away) }))
    let slot = try #require(node.peer(at: away)?.slot)
    node.ports.refused = [slot]
    #expect(node.statuses(network).first?.port == "")
    node.ports.refused = []
    #expect(node.statuses(network).first?.port == "comlink:peer_Bert")
  }

  @Test func `a new name that was not taken on is asked for again`() throws {
    try #require(network.run(until: { node.isConnected(to: away) }))
    node.ports.refusals = 3
    bert.rename("Carl")
    network.run(seconds: 1)
    #expect(node.ports.names.values.sorted() == ["Carl"])
  }

  @Test func `a port that could not be taken away is taken away later`() throws {
    try #require(network.run(until: { node.isConnected(to: away) }))
    node.ports.refusals = 5
    node.station.roster.expel(bert.id, saidGoodbye: false)
    network.run(seconds: 0.02)
    #expect(node.station.seen.isEmpty)
    #expect(node.ports.names.values.sorted() == ["Bert"])
    network.run(seconds: 1)
    #expect(node.ports.names.isEmpty)
  }

  @Test func `a slot that is in use again keeps its new port`() throws {
    try #require(network.run(until: { node.isConnected(to: away) }))
    let slot = try #require(node.peer(at: away)?.slot)
    // Refused once: taking the port away. The next peer is to get the same slot.
    node.ports.refusals = 1
    while node.station.slots.take() != nil {}
    node.station.roster.expel(bert.id, saidGoodbye: false)
    #expect(node.station.seen.isEmpty)
    node.station.house.wait(untilNanoseconds: .max)
    let carl = try ScriptedPeer("Carl", at: .host(3), to: home, ssrc: 3)
    network.add(carl)
    try node.meet(carl, network)
    try #require(network.run(until: { node.isConnected(to: .host(3)) }))
    node.station.house.wait(untilNanoseconds: 0)
    network.run(seconds: 1)
    #expect(node.ports.names == [slot: "Carl"])
  }

  @Test func `a peer that is lost loses its port`() throws {
    try #require(network.run(until: { node.isConnected(to: away) }))
    bert.speaks = false
    try #require(network.run(until: { !node.isConnected(to: away) }))
    #expect(node.ports.names.isEmpty)
  }

  @Test func `jacks refusal is told once a peer with what to do`() throws {
    let refusals = PortRefusals()
    let refused = JackSessionEvent.peerPortRefused(
      slot: PeerSlot.all[4], portName: "peer_Bert", reason: "no more ports")
    guard case .audioFault(let fault)? = refusals.told(refused) else {
      Issue.record("the first refusal is not told")
      return
    }
    let words = "\(fault)"
    #expect(words.contains("peer_Bert") && words.contains("no more ports"))
    #expect(words.contains("--port-max"))
    #expect(refusals.told(refused) == nil)
    #expect(
      refusals.told(.peerPortRefused(slot: PeerSlot.all[5], portName: "peer_C", reason: "")) != nil)
    refusals.forget(PeerSlot.all[4])
    #expect(refusals.told(refused) != nil)
    #expect(refusals.told(refused) == nil)
    guard case .audio(.stopped)? = refusals.told(.stopped) else {
      Issue.record("another event is not passed on")
      return
    }
  }
}
