import EventLoop
import Habits
import Testing

@testable import Intercom

/// What peers are called, here and in JACK; `StationMemberTests` has the settings.
@Suite struct StationNameTests {
  let network = VirtualNetwork()
  let home = SocketAddress.host(1)
  let node: VirtualNode

  init() throws {
    node = try VirtualNode("Anna", at: home)
    network.add(node)
  }

  private func connect(_ name: String, _ number: Int) throws -> ScriptedPeer {
    let peer = try ScriptedPeer(name, at: .host(number), to: home, ssrc: UInt32(number))
    network.add(peer)
    try node.meet(peer, network)
    try #require(network.run(until: { node.isConnected(to: .host(number)) }, limitSeconds: 3))
    return peer
  }

  @Test func `equal names are numbered`() throws {
    for number in 2...4 { _ = try connect("Bert", number) }
    #expect(node.station.seen.map(\.name) == ["Bert", "Bert-2", "Bert-3"])
    #expect(node.ports.names.values.sorted() == ["Bert", "Bert-2", "Bert-3"])
  }

  @Test func `a name that was freed is anothers`() throws {
    let first = try connect("Bert", 2)
    _ = try connect("Bert", 3)
    node.station.roster.expel(first.id, saidGoodbye: false)
    node.station.roster.freeName(of: first.id)
    _ = try connect("Bert", 4)
    #expect(node.ports.names.values.sorted() == ["Bert", "Bert-2"])
  }

  @Test func `names are cleaned before anyone sees them`() throws {
    _ = try connect("B:e\u{1B}r\u{202E}t\n", 2)
    _ = try connect("", 3)
    #expect(node.station.seen.map(\.name) == ["B_e_r_t_", "unnamed"])
  }

  @Test func `a peer that calls itself otherwise is renamed with its port and keeps its settings`()
    throws
  {
    let peer = try connect("Bert", 2)
    try node.station.roster.change("bert") { $0.gainDecibels = -3 }
    peer.rename("Stage left")
    network.run(seconds: 2)
    #expect(node.station.seen.map(\.name) == ["Stage left"])
    #expect(node.ports.names.values.sorted() == ["Stage left"])
    #expect(try node.station.roster.sessions.find("Stage left").settings.gainDecibels == -3)
    #expect(node.isConnected(to: .host(2)))
  }

  @Test func `a peer that flips its name is followed once a second at most`() throws {
    let peer = try connect("Bert", 2)
    var seen: Set<String> = []
    for round in 0..<40 {
      peer.rename("N\(round)")
      network.run(seconds: 0.05)
      seen.formUnion(node.ports.names.values)
    }
    #expect(seen.count <= 4)
  }

  @Test func `settings made during an absence hold at the return`() throws {
    let peer = try connect("Bert", 2)
    try node.station.roster.change("Bert") { $0.gainDecibels = -6 }
    peer.speaks = false
    network.run(seconds: 6)
    #expect(!node.isConnected(to: .host(2)))
    try node.station.roster.change("Bert") { ($0.gainDecibels, $0.pan) = (0, -1) }
    peer.speaks = true
    try #require(network.run(until: { node.isConnected(to: .host(2)) }, limitSeconds: 3))
    #expect(
      node.peer(at: .host(2))?.settings
        == PeerSettings(gainDecibels: 0, pan: -1, isMuted: false))
  }

  @Test func `an unknown name is told with the known ones`() throws {
    _ = try connect("Bert", 2)
    let error = #expect(throws: IntercomError.self) {
      try node.station.roster.change("Carl") { $0.isMuted = true }
    }
    #expect(error?.description == "no peer named 'Carl'; known: Bert")
  }
}
