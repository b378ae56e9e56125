import EventLoop
import RTP
import Testing

@testable import Intercom

/// Addresses that lead back to this node, and who takes its identity.
@Suite struct StationIdentityTests {
  let network = VirtualNetwork()
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  @Test func `a member at our own address is nobody, and our reports to it cost a counter`() throws
  {
    let node = try VirtualNode("Anna", at: home)
    network.add(node)
    try node.meet(try ScriptedPeer("Bert", at: away, to: home, ssrc: 2), at: [home], network)
    network.run(seconds: 100)
    #expect(node.peer(at: home)?.state == .connecting)
    #expect(node.drops("ownSSRC") == network.reports(to: home).count)
    #expect((90...120).contains(network.reports(to: home).count))
    #expect(node.ports.names.isEmpty && node.events.all.isEmpty)
  }

  @Test func `an address that was ours and is anothers now is connected`() throws {
    let moved = SocketAddress.host(9)
    let node = try VirtualNode("Anna", at: home, moved)
    let bert = try ScriptedPeer("Bert", at: moved, to: home, ssrc: 2)
    network.add(node)
    try node.meet(bert, network)
    network.run(seconds: 2)
    #expect(node.peer(at: moved)?.state == .connecting && node.drops("ownSSRC") > 0)
    node.addresses = [home]
    network.add(bert)
    #expect(network.run(until: { node.isConnected(to: moved) }, limitSeconds: 2))
  }

  @Test(arguments: [true, false])
  func `a stranger with our SSRC gets no place`(speaksInClear: Bool) throws {
    let node = try VirtualNode("Anna", at: home)
    network.add(node)
    let mirror = try ScriptedPeer(
      "Anna", at: away, to: home, ssrc: node.station.roster.identity.ssrc.rawValue)
    mirror.speaksInClear = speaksInClear
    network.add(mirror)
    network.run(seconds: 5)
    #expect(node.drops("ownSSRC") >= 4)
    #expect(node.station.seen.isEmpty && node.events.all.isEmpty)
    #expect(network.reports(to: away).isEmpty)
  }
}
