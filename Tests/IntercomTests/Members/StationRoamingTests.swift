import EventLoop
import Media
import StatusSchema
import Testing

@testable import Intercom

/// Members under several addresses, and under others than were told.
@Suite struct StationRoamingTests {
  let network = VirtualNetwork()

  private func node(_ name: String, _ addresses: SocketAddress...) throws -> VirtualNode {
    let node = try VirtualNode(name, at: addresses[0], beat: VirtualNode.Beat())
    node.addresses = addresses
    node.mic = Tone(hertz: name == "Anna" ? 440 : 700).sample
    network.add(node)
    return node
  }

  private func count(_ node: VirtualNode, _ isWanted: (IntercomEvent) -> Bool) -> Int {
    node.events.count(where: isWanted)
  }

  private func departures(_ node: VirtualNode) -> Int {
    count(node) { if case .peerLeft = $0 { true } else { false } }
  }

  private func moves(_ node: VirtualNode) -> Int {
    count(node) { if case .peerMoved = $0 { true } else { false } }
  }

  @Test func `a node that roams is heard without a gap and hears again soon`() throws {
    let (anna, bert) = (try node("Anna", .host(1)), try node("Bert", .host(2)))
    try anna.admit(bert, network)
    try bert.admit(anna, network)
    network.run(seconds: 4)
    let slot = try #require(anna.connected(bert)?.slot)
    bert.addresses = [.host(9)]
    network.run(seconds: 1)
    #expect(anna.connected(bert)?.address == .host(9))
    #expect(anna.connected(bert)?.slot == slot)
    network.run(seconds: 2)
    for node in [anna, bert] {
      #expect(departures(node) == 0)
      #expect(node.ports.names.count == 1)
      let tone = Tone(hertz: node === anna ? 700 : 440)
      #expect(tone.level(in: node.heard.suffix(48_000)) > 0.08)
    }
    #expect(moves(anna) == 1 && moves(bert) == 0)
    let heard = try #require(anna.statuses(network).first)
    #expect(anna.statuses(network).count == 1)
    #expect(heard.lost == 0 && heard.concealed == 0 && heard.late == 0 && heard.underrun == 0)
    // And back, as often as it likes.
    bert.addresses = [.host(2)]
    network.run(seconds: 3)
    #expect(anna.connected(bert)?.address == .host(2) && departures(anna) == 0)
  }

  @Test func `two nodes that share two networks are connected once and use the one that works`()
    throws
  {
    let anna = try node("Anna", .host(1), .host(1, network: 2))
    let bert = try node("Bert", .host(2), .host(2, network: 2))
    try anna.admit(bert, network)
    try bert.admit(anna, network)
    network.run(seconds: 5)
    let first = try #require(anna.connected(bert)?.address)
    for node in [anna, bert] {
      #expect(node.ports.names.count == 1 && node.statuses(network).count == 1)
      #expect(node.station.seen.count == 2)
    }
    let moved = moves(anna)
    network.run(seconds: 10)
    #expect(moves(anna) == moved)
    network.cut(first)
    if let other = bert.connected(anna)?.address { network.cut(other) }
    network.run(seconds: 4)
    for node in [anna, bert] {
      #expect(departures(node) == 0)
      let tone = Tone(hertz: node === anna ? 700 : 440)
      #expect(tone.level(in: node.heard.suffix(48_000)) > 0.08)
    }
    #expect(anna.connected(bert)?.address != first)
  }

  @Test func `eight dead addresses do not keep a member out`() throws {
    let (anna, bert) = (try node("Anna", .host(1)), try node("Bert", .host(2)))
    let dead = (101...108).map { SocketAddress.host($0) }
    try anna.admit(bert, at: dead, network)
    try bert.admit(anna, network)
    #expect(
      network.run(
        until: { anna.connected(bert) != nil && bert.connected(anna) != nil }, limitSeconds: 1.5))
    #expect(anna.station.seen.count == 8)
    #expect(anna.connected(bert)?.address == .host(2))
    network.run(seconds: 3)
    #expect(anna.station.seen.count == 8 && departures(anna) == 0)
  }

  @Test func `one address that lives among dead ones is enough on one side`() throws {
    let (anna, bert) = (try node("Anna", .host(1)), try node("Bert", .host(2)))
    try anna.admit(bert, at: (101...107).map { .host($0) } + [.host(2)], network)
    try bert.admit(anna, at: [], network)
    #expect(
      network.run(
        until: { anna.connected(bert) != nil && bert.connected(anna) != nil }, limitSeconds: 1.5))
    #expect(bert.connected(anna)?.address == .host(1))
  }

  /// Its answers come by one address, whichever it was asked by.
  @Test func `a node that answers by another address is connected and stays`() throws {
    let (anna, bert) = (try node("Anna", .host(1)), try node("Bert", .host(2), .host(3)))
    try anna.admit(bert, network)
    try bert.admit(anna, network)
    #expect(network.run(until: { bert.connected(anna) != nil }, limitSeconds: 1.5))
    network.run(seconds: 20)
    #expect(departures(anna) == 0 && departures(bert) == 0)
    #expect(anna.connected(bert)?.address == .host(2) && moves(anna) <= 1)
    #expect(try #require(anna.statuses(network).first).lost == 0)
  }

  @Test func `addresses that are told later are tried and old ones forgotten`() throws {
    let (anna, bert) = (try node("Anna", .host(1)), try node("Bert", .host(2)))
    try anna.admit(bert, at: [.host(50)], network)
    network.run(seconds: 2)
    try anna.admit(bert, at: [.host(2)], name: "Bertram", network)
    #expect(anna.station.seen.map(\.address) == [.host(2)])
    #expect(anna.statuses(network).first?.name == "Bertram")
    try bert.admit(anna, at: [], network)
    #expect(network.run(until: { anna.connected(bert) != nil }, limitSeconds: 1.5))
    #expect(anna.statuses(network).first?.name == "Bert")
  }
}
