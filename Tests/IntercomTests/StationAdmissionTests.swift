import EventLoop
import TestKit
import Testing

@testable import Intercom

/// Who gets a place in the table when there are few, and what is refused.
@Suite struct StationAdmissionTests {
  let network = VirtualNetwork()
  let home = SocketAddress.host(1)

  private func node(maximumPeers: Int = 64) throws -> VirtualNode {
    let node = try VirtualNode("Anna", at: home) { $0.maximumPeers = maximumPeers }
    network.add(node)
    return node
  }

  @discardableResult
  private func addPeer(_ number: Int, listens: Bool = true) -> ScriptedPeer {
    let peer = ScriptedPeer(
      "P\(number)", at: .host(number), to: home, ssrc: UInt32(number))
    peer.listens = listens
    network.add(peer)
    return peer
  }

  private func refusals(_ node: VirtualNode) -> Int {
    node.events.count { if case .tooManyPeers = $0 { true } else { false } }
  }

  @Test func `a full table refuses counts and tells once a minute`() throws {
    let node = try node(maximumPeers: 2)
    addPeer(2)
    addPeer(3)
    network.run(seconds: 3)
    let late = addPeer(4)
    network.run(seconds: 50)
    #expect(node.station.peers.all.count == 2)
    #expect(node.peer(at: late.addresses[0]) == nil)
    #expect(node.station.drops.refusedPeers >= 40)
    #expect(node.station.drops.byReason["refusedPeer"] == node.station.drops.refusedPeers)
    #expect(refusals(node) == 1)
    network.run(seconds: 15)
    #expect(refusals(node) == 2)
  }

  @Test func `a place that becomes free is taken`() throws {
    let node = try node(maximumPeers: 1)
    let first = addPeer(2)
    network.run(seconds: 2)
    addPeer(3)
    network.run(seconds: 2)
    #expect(!node.isConnected(to: .host(3)))
    first.sayGoodbye()
    network.run(seconds: 4)
    #expect(node.isConnected(to: .host(3)))
  }

  @Test func `eight strangers without proof are the most`() throws {
    let node = try node()
    for number in 2..<22 { addPeer(number, listens: false) }
    network.run(seconds: 1)
    #expect(node.station.peers.all.count == 8)
    #expect(node.station.peers.all.allSatisfy { $0.state == .contacted })
    #expect(node.station.drops.refusedPeers >= 12)
    // The table is not full: nobody has to raise --max-peers.
    #expect(refusals(node) == 0)
  }

  @Test func `those who prove themselves make room for the next`() throws {
    let node = try node()
    for number in 2..<22 { addPeer(number) }
    network.run(seconds: 10)
    #expect(node.station.peers.all.count(where: { $0.state == .connected }) == 20)
  }

  @Test func `flooders do not keep an honest stranger out forever`() throws {
    let node = try node()
    for number in 10..<30 { addPeer(number, listens: false) }
    network.run(seconds: 2)
    addPeer(2)
    #expect(network.run(until: { node.isConnected(to: .host(2)) }, limitSeconds: 60))
  }

  @Test func `a named peer pushes out a stranger without proof`() throws {
    let node = try node(maximumPeers: 1)
    addPeer(2, listens: false)
    network.run(seconds: 1)
    #expect(node.peer(at: .host(2))?.state == .contacted)
    addPeer(3)
    node.station.addNamed(.host(3), nowNanoseconds: network.now)
    #expect(network.run(until: { node.isConnected(to: .host(3)) }, limitSeconds: 2))
    #expect(node.station.peers.all.count == 1)
    #expect(refusals(node) == 0)
  }

  @Test func `a named peer does not push out a connected one`() throws {
    let node = try node(maximumPeers: 1)
    addPeer(2)
    try #require(network.run(until: { node.isConnected(to: .host(2)) }))
    node.station.addNamed(.host(3), nowNanoseconds: network.now)
    #expect(node.isConnected(to: .host(2)))
    #expect(node.peer(at: .host(3)) == nil)
    #expect(refusals(node) == 1)
  }

  @Test func `what is no whole report opens no place and is counted`() throws {
    let node = try node()
    var random = SplitMix64(seed: 7)
    let stranger = ScriptedPeer("X", at: .host(2), to: home, ssrc: 2)
    stranger.speaks = false
    network.add(stranger)
    let datagrams: [[UInt8]] = [
      [], [0x80], [0x80, 201, 0, 9, 0, 0, 0, 2], [0x80, 203, 0, 1, 0, 0, 0, 2],
      [0x00, 201, 0, 1, 0, 0, 0, 2], [0x80, 111, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 1, 2, 3],
      (0..<200).map { _ in UInt8.random(in: 0...127, using: &random) },
    ]
    for bytes in datagrams {
      stranger.say { span in
        for (offset, byte) in bytes.enumerated() {
          span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
        }
        return bytes.count
      }
    }
    network.run(seconds: 0.1)
    #expect(node.station.peers.all.isEmpty)
    #expect(network.reports(to: .host(2)).isEmpty)
    #expect(node.station.drops.byReason.values.reduce(0, +) == datagrams.count)
  }
}
