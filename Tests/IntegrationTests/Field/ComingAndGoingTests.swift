import Remote
import StatusSchema
import TestKit
import Testing

@testable import TestRig

/// A member that comes and goes a thousand times leaves nothing behind.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ComingAndGoingTests {
  private static let rounds = Seeds.rounds(1000, shortenedBy: 5)
  /// Until caches and pools are as large as they get.
  private static let warmUpRounds = Seeds.rounds(200, shortenedBy: 5)
  /// Members that come and go together, and how often.
  private static let (crowd, crowdRounds) = (5, Seeds.rounds(20, shortenedBy: 4))

  /// What a node has open.
  private struct Holdings {
    var descriptors: Int?
    var threads: Int?
    var ports: [String]

    /// Swift's pool starts its last thread when it first has need of it, and before may have been a moment with a
    /// connection of its own: of what stays with each member there would be hundreds.
    func isNoMore(than before: Holdings) -> Bool {
      (descriptors ?? .max) <= (before.descriptors ?? 0) && ports == before.ports
        && (threads ?? .max) <= (before.threads ?? 0) + 1
    }
  }

  @Test func `no descriptors, threads, JACK ports or memory stay of a member that left`() throws {
    let directory = try TemporaryDirectory(prefix: "comlink-test")
    let circle = try Circle(in: directory)
    let ports = try LoopbackPorts.free(2)
    let a = try circle.node("A", at: ports[0])
    let b = try circle.node("B", at: ports[1], calling: ports[0])
    _ = try b.ask(.groupJoin(invitation: try circle.group("crew", of: a)))
    try circle.wait(for: a, toHear: "B")
    try circle.wait(for: b, toHear: "A")
    // Of a pair the higher ID dials, at once after it takes a block back.
    let isAHigher = try Self.order(of: b).lexicographicallyPrecedes(Self.order(of: a))
    let (host, guest) = isAHigher ? (a, b) : (b, a)
    for _ in 0..<Self.warmUpRounds { try Self.sendAway(guest, of: host) }
    // The port comes a moment after the member; what is there meanwhile may be that of before.
    var before = Self.holdings(of: host, in: circle)
    try waitUntil("\(guest.name)'s port", within: 10) { () throws(RigError) in
      before = Self.holdings(of: host, in: circle)
      return before.ports.contains("\(host.client):peer_\(guest.name)")
    }
    let memory = try Self.memory(of: host)
    for _ in Self.warmUpRounds..<Self.rounds { try Self.sendAway(guest, of: host) }
    try waitUntil(
      "the node to have what it had", within: 10,
      detail: { "\(Self.holdings(of: host, in: circle)), before \(before)" }
    ) { () throws(RigError) in
      Self.holdings(of: host, in: circle).isNoMore(than: before)
    }
    let grown = try Self.memory(of: host) - memory
    #expect(grown < 1, "\(grown) MB")
    try circle.wait(for: host, toHear: guest.name)
  }

  /// A stream takes a third of a megabyte, on whichever of some threads makes it.
  @Test func `the memory of members that leave at once goes back, whichever thread took it`() throws
  {
    let directory = try TemporaryDirectory(prefix: "comlink-test")
    let circle = try Circle(in: directory)
    let ports = try LoopbackPorts.free(Self.crowd + 1)
    let host = try circle.node("Host", at: ports[0])
    let crew = try circle.group("crew", of: host)
    let guests = try ports.dropFirst().enumerated().map { index, port in
      try circle.node("Guest\(index)", at: port, calling: ports[0])
    }
    for guest in guests { _ = try guest.ask(.groupJoin(invitation: crew)) }
    try host.waitUntilConnected(peers: Self.crowd, within: 20)
    try Self.sendAllAway(guests, of: host)
    let memory = try Self.memory(of: host)
    for _ in 0..<Self.crowdRounds { try Self.sendAllAway(guests, of: host) }
    let grown = try Self.memory(of: host) - memory
    #expect(grown < 0.7, "\(grown) MB")
  }

  /// Blocks all, takes that back, and waits until they are connected again.
  private static func sendAllAway(_ guests: [NodeProcess], of host: NodeProcess) throws(RigError) {
    for guest in guests { _ = try host.ask(.block(peer: guest.name)) }
    for guest in guests { _ = try host.ask(.forget(peer: guest.name)) }
    try host.waitUntilConnected(peers: guests.count, within: 20)
  }

  /// Blocks a member, takes that back, and waits until it is connected again.
  private static func sendAway(_ guest: NodeProcess, of host: NodeProcess) throws(RigError) {
    _ = try host.ask(.block(peer: guest.name))
    _ = try host.ask(.forget(peer: guest.name))
    try waitUntil(
      "\(guest.name) to be back", within: 20, interval: 0.003,
      detail: { host.process.outputTail() }
    ) { () throws(RigError) in
      try host.status().peers.contains { $0.name == guest.name && $0.state == .connected }
    }
  }

  /// The ID as what it is compared by: base 32 of RFC 4648, whose digits come after its letters.
  private static func order(of node: NodeProcess) throws -> [UInt8] {
    let id = try #require(try node.status().node.id)
    return id.utf8.map {
      $0 >= UInt8(ascii: "a") ? $0 - UInt8(ascii: "a") : $0 + 26 - UInt8(ascii: "2")
    }
  }

  private static func holdings(of node: NodeProcess, in circle: Circle) -> Holdings {
    let identifier = node.process.identifier
    return Holdings(
      descriptors: ProcessUsage.descriptorCount(of: identifier),
      threads: ProcessUsage(of: identifier)?.threads.count,
      ports: circle.portNames.filter { $0.hasPrefix("\(node.client):") }.sorted())
  }

  /// Without the program's own pages, of which its share grows where another that runs it ends.
  private static func memory(of node: NodeProcess) throws -> Double {
    try #require(
      ProcessUsage.writtenMegabytes(
        of: node.process.identifier, excluding: ["/dev/shm/jack"]))
  }
}
