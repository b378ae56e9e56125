import EventLoop
import Media
import RTP
import Testing

@testable import Intercom

/// Who is who: restarts, this node itself, and forgeries of both.
@Suite struct StationIdentityTests {
  let network = VirtualNetwork()
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  private func count(_ node: VirtualNode, where isWanted: (IntercomEvent) -> Bool) -> Int {
    node.events.count(where: isWanted)
  }

  @Test func `a peer that comes back as a new process is connected anew`() throws {
    let node = try VirtualNode("Anna", at: home)
    let bert = ScriptedPeer("Bert", at: away, to: home, ssrc: 2)
    network.add(node)
    network.add(bert)
    try #require(network.run(until: { node.isConnected(to: away) }))
    try node.station.change("Bert") { $0.gainDecibels = -9 }
    network.run(seconds: 5)

    bert.restart("Bert", ssrc: 77, canonicalName: "another process")
    network.run(seconds: 3)
    let peer = try #require(node.peer(at: away))
    #expect(peer.state == .connected && peer.reports.remoteSSRC?.rawValue == 77)
    #expect(peer.settings.gainDecibels == -9)
    #expect(node.ports.names.values.sorted() == ["Bert"])
    #expect(count(node) { if case .peerRestarted = $0 { true } else { false } } == 1)
    #expect(count(node) { if case .peerConnected = $0 { true } else { false } } == 2)
  }

  @Test func `a forged restart changes nothing`() throws {
    let node = try VirtualNode("Anna", at: home)
    let bert = ScriptedPeer("Bert", at: away, to: home, ssrc: 2)
    network.add(node)
    network.add(bert)
    try #require(network.run(until: { node.isConnected(to: away) }))
    network.run(seconds: 2)
    bert.listens = false
    let forger = ScriptedPeer("Forger", at: away, to: home, ssrc: 66)
    forger.listens = false
    network.add(forger)
    network.run(seconds: 3)
    let peer = try #require(node.peer(at: away))
    #expect(peer.state == .connected && peer.reports.remoteSSRC?.rawValue == 2)
    #expect(peer.name == "Bert")
    #expect(count(node) { if case .peerRestarted = $0 { true } else { false } } == 0)
  }

  @Test func `a node that names itself finds out and looks again each half minute`() throws {
    let node = try VirtualNode("Anna", at: home)
    network.add(node)
    node.station.addNamed(home, nowNanoseconds: network.now)
    network.run(seconds: 100)
    #expect(node.peer(at: home)?.state == .ourselves)
    #expect(count(node) { if case .peerIsOurselves = $0 { true } else { false } } == 1)
    #expect(network.reports(to: home).count == 4)
    #expect(node.ports.names.isEmpty)
  }

  @Test func `an address that was ours and is anothers now is connected`() throws {
    let moved = SocketAddress.host(9)
    let node = try VirtualNode("Anna", at: home, moved)
    network.add(node)
    node.station.addNamed(moved, nowNanoseconds: network.now)
    network.run(seconds: 2)
    #expect(node.peer(at: moved)?.state == .ourselves)
    node.addresses = [home]
    network.add(ScriptedPeer("Bert", at: moved, to: home, ssrc: 2))
    #expect(network.run(until: { node.isConnected(to: moved) }, limitSeconds: 35))
  }

  @Test func `our canonical name from a connected peer changes nothing`() throws {
    let node = try VirtualNode("Anna", at: home)
    let bert = ScriptedPeer("Bert", at: away, to: home, ssrc: 2)
    network.add(node)
    network.add(bert)
    node.station.addNamed(away, nowNanoseconds: network.now)
    try #require(network.run(until: { node.isConnected(to: away) }))
    let identity = node.station.identity
    let mirror = ScriptedPeer(
      "Anna", at: away, to: home, ssrc: identity.ssrc.rawValue,
      canonicalName: identity.canonicalName)
    mirror.listens = false
    network.add(mirror)
    network.run(seconds: 5)
    #expect(node.isConnected(to: away))
    #expect(node.peer(at: away)?.name == "Bert")
    #expect(node.station.drops.ownSSRC >= 4)
    #expect(count(node) { if case .peerIsOurselves = $0 { true } else { false } } == 0)
  }

  @Test func `a stranger with our identity gets no place`() throws {
    let node = try VirtualNode("Anna", at: home)
    let identity = node.station.identity
    network.add(node)
    network.add(
      ScriptedPeer(
        "Anna", at: away, to: home, ssrc: identity.ssrc.rawValue,
        canonicalName: identity.canonicalName))
    network.run(seconds: 5)
    #expect(node.station.peers.all.isEmpty)
    #expect(node.events.all.isEmpty)
  }
}
