import Cryptography
import EventLoop
import Media
import RTP
import Testing

@testable import Intercom

@Suite struct PeerTableTests {
  private func peer(
    _ number: Int, name: String = "", of member: Member? = nil, isConnected: Bool = false
  ) -> Peer {
    let other = Member(node: .named("\(number)"), name: name, nowNanoseconds: 0)
    let peer = Peer(
      address: .host(number), of: member ?? other, isNamedByUs: true,
      reports: PeerReports(
        ssrc: SSRC(rawValue: 1), canonicalName: "us", name: "Anna", seed: UInt64(number)),
      nowNanoseconds: 0)
    peer.name = name
    if isConnected { peer.state = .connected }
    return peer
  }

  private func fill(_ table: inout PeerTable, _ peers: [Peer]) {
    for peer in peers {
      let isAdded = table.add(peer)
      #expect(isAdded)
    }
  }

  @Test func `peers are found by address also after others left`() {
    var table = PeerTable(capacity: 64)
    let peers = (1...64).map { peer($0) }
    fill(&table, peers)
    for index in stride(from: 0, to: 64, by: 3) { table.remove(peers[index]) }
    for (index, peer) in peers.enumerated() {
      let found = table[peer.address]
      #expect(index % 3 == 0 ? found == nil : found === peer)
    }
    #expect(table.all.map(\.address) == table.all.map { table[$0.address]?.address })
    #expect(table.all.count == 42)
  }

  @Test func `a full table takes no one until someone leaves`() {
    var table = PeerTable(capacity: 2)
    let first = peer(1)
    fill(&table, [first, peer(2)])
    #expect(table.isFull)
    let isAdded = table.add(peer(3))
    #expect(!isAdded)
    table.remove(first)
    #expect(!table.isFull)
    fill(&table, [peer(3)])
    #expect(table.all.map(\.address) == [.host(2), .host(3)])
  }

  @Test func `an address is taken once`() {
    var table = PeerTable(capacity: 2)
    let first = peer(1)
    fill(&table, [first])
    let isAdded = table.add(peer(1))
    #expect(!isAdded)
    #expect(table[.host(1)] === first)
    #expect(table[SocketAddress(ipv4: 0x0A00_0101, port: 1)] == nil)
  }

  @Test func `removing who is not there changes nothing`() {
    var table = PeerTable(capacity: 2)
    fill(&table, [peer(1)])
    table.remove(peer(2))
    #expect(table.all.map(\.address) == [.host(1)])
  }

  @Test func `a name means the connected peer then the exact then any case`() throws {
    var table = PeerTable(capacity: 8)
    let absent = peer(1, name: "Bert")
    let present = peer(2, name: "Bert", isConnected: true)
    let shouting = peer(3, name: "BERT", isConnected: true)
    fill(&table, [absent, peer(4), shouting, present])
    #expect(try table.find("Bert") === present)
    #expect(try table.find("BERT") === shouting)
    #expect(throws: IntercomError.self) { try table.find("bert") }
    table.remove(present)
    #expect(try table.find("Bert") === absent)
    #expect(try table.find("bert") === shouting)
    #expect(throws: IntercomError.self) { try table.find("Carl") }
    #expect(throws: IntercomError.self) { try table.find("") }
  }

  @Test func `a member is meant by its ID and its words at whichever address`() throws {
    var table = PeerTable(capacity: 8)
    let bert = Member(node: .named("Bert"), name: "Bert", nowNanoseconds: 0)
    let (first, second, other) = (
      peer(1, name: "Bert", of: bert), peer(2, name: "Bert", of: bert, isConnected: true),
      peer(3, name: "Carl")
    )
    bert.connected = second
    fill(&table, [first, second, other])
    let (id, words) = (bert.node.text, bert.node.words)
    for text in [
      "BERT", id, id.uppercased(), String(id.prefix(6)), words.joined(separator: " "),
      words.joined(separator: "-").uppercased(), words.prefix(3).joined(separator: " "),
    ] {
      #expect(try table.find(text) === second, "\(text)")
    }
    #expect(throws: IntercomError.self) { try table.find(String(id.prefix(5))) }
  }
}
