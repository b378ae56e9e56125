import EventLoop
import Media
import Testing

@testable import Intercom

/// One node under two addresses is one peer.
@Suite struct StationDuplicateTests {
  let network = VirtualNetwork()
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  private func count(_ node: VirtualNode, where isWanted: (IntercomEvent) -> Bool) -> Int {
    node.events.count(where: isWanted)
  }

  /// Two nodes that share two networks; Anna named both of Bert's addresses.
  private func doublyLinked() throws -> (anna: VirtualNode, bert: VirtualNode) {
    let anna = try VirtualNode(
      "Anna", at: home, .host(1, network: 2), beat: VirtualNode.Beat())
    let bert = try VirtualNode(
      "Bert", at: away, .host(2, network: 2), beat: VirtualNode.Beat())
    anna.mic = Tone(hertz: 440).sample
    network.add(anna)
    network.add(bert)
    anna.station.addNamed(away, nowNanoseconds: network.now)
    anna.station.addNamed(.host(2, network: 2), nowNanoseconds: network.now)
    network.run(seconds: 5)
    return (anna, bert)
  }

  private func states(_ node: VirtualNode) -> [Peer.State] {
    node.station.peers.all.map(\.state).sorted { "\($0)" < "\($1)" }
  }

  @Test func `one node under two addresses is heard once`() throws {
    let (anna, bert) = try doublyLinked()
    for node in [anna, bert] {
      #expect(states(node) == [.connected, .duplicate])
      #expect(node.ports.names.count == 1)
      #expect(count(node) { if case .peerConnected = $0 { true } else { false } } == 1)
    }
  }

  @Test func `the other address takes over when the first falls silent`() throws {
    let (anna, bert) = try doublyLinked()
    let tone = Tone(hertz: 440)
    let before = tone.level(in: bert.heard.suffix(48_000))
    let first = try #require(anna.station.peers.all.first { $0.state == .connected }?.address)
    let second = try #require(anna.station.peers.all.first { $0.state == .duplicate }?.address)
    network.cut(first)
    // 4.5 s until the silence is believed, at most 1.25 s until the next report.
    network.run(seconds: 6.5)
    #expect(anna.isConnected(to: second) && !anna.isConnected(to: first))
    #expect(states(bert).contains(.connected))
    network.run(seconds: 1.5)
    #expect(tone.level(in: bert.heard.suffix(48_000)) > 0.8 * before)

    network.mend(first)
    network.run(seconds: 5)
    #expect(states(anna) == [.connected, .duplicate])
    #expect(states(bert) == [.connected, .duplicate])
  }

  @Test func `a strangers other address needs no new proof to take over`() throws {
    let node = try VirtualNode("Anna", at: home)
    network.add(node)
    let twins = (2...3).map {
      ScriptedPeer("Bert", at: .host($0), to: home, ssrc: 2, canonicalName: "one")
    }
    network.add(twins[0])
    try #require(network.run(until: { node.isConnected(to: away) }))
    network.add(twins[1])
    network.run(seconds: 5)
    let second = try #require(node.peer(at: .host(3)))
    #expect(second.state == .duplicate)
    twins[0].speaks = false
    #expect(network.run(until: { second.state == .connected }, limitSeconds: 6.5))
    #expect(node.peer(at: .host(3)) === second)
    #expect(node.ports.names.values.sorted() == ["Bert"])
  }

  @Test func `the farewell goes to duplicates too`() throws {
    let node = try VirtualNode("Anna", at: home)
    network.add(node)
    for number in 2...3 {
      network.add(ScriptedPeer("Bert", at: .host(number), to: home, ssrc: 2, canonicalName: "one"))
    }
    network.run(seconds: 2)
    #expect(states(node) == [.connected, .duplicate])
    node.station.sayGoodbye()
    network.run(seconds: 0.1)
    for number in 2...3 {
      #expect(network.reports(to: .host(number)).last?.isFarewell == true)
    }
  }

  @Test func `a farewell ends every address of a node`() throws {
    let (anna, bert) = try doublyLinked()
    anna.station.sayGoodbye()
    network.run(seconds: 0.1)
    #expect(bert.station.peers.all.isEmpty)
    #expect(bert.ports.names.isEmpty)
    #expect(count(bert) { if case .peerLeft = $0 { true } else { false } } == 1)
    #expect(count(bert) { if case .peerConnected = $0 { true } else { false } } == 1)
  }

  @Test func `peers without a canonical name are not taken for one`() throws {
    let node = try VirtualNode("Anna", at: home)
    network.add(node)
    for number in 2...3 {
      let bare = ScriptedPeer("", at: .host(number), to: home, ssrc: UInt32(number))
      bare.leavesOutDescription = true
      network.add(bare)
    }
    network.run(seconds: 3)
    #expect(node.station.peers.all.map(\.state) == [.connected, .connected])
  }
}
