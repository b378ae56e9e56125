import Cryptography
import EventLoop
import Media
import Mesh
import RTP
import Testing

@testable import Intercom

/// Who is found by what.
@Suite struct SessionTableTests {
  private func session(
    _ number: Int, name: String = "", in table: inout SessionTable, isConnected: Bool = false
  ) -> Session {
    let session = Session(
      Member(node: .named("\(number)"), name: name, addresses: []), nowNanoseconds: 0)
    table.add(session)
    session.take(name: name, madeOf: name)
    let path = path(number)
    table.add(path, to: session)
    if isConnected { session.go(by: path, with: repair) }
    return session
  }

  private func path(_ number: Int) -> Path {
    Path(
      to: .host(number), isTold: true,
      reports: PeerReports(
        ssrc: SSRC(rawValue: 1), canonicalName: "us", name: "Anna", seed: UInt64(number)),
      nowNanoseconds: 0)
  }

  private func bind(
    _ ssrc: UInt32, stream: Int = 0, to session: Session, in table: inout SessionTable
  ) -> ReceivingKeys {
    table.bind(
      ReceivedKey.Identity(
        stream: stream, source: 0, sourceName: "", sourceColourRGB: nil, audience: .everyone,
        ssrc: ssrc, epoch: 0),
      to: session)
  }

  private var repair: RepairSession {
    RepairSession(boundBitsPerSecond: 96_000, framesPerPacket: 480)
  }

  @Test func `members are found by address and ID also after others left`() {
    var table = SessionTable(capacity: 64)
    let sessions = (1...64).map { session($0, in: &table) }
    for index in stride(from: 0, to: 64, by: 3) { table.remove(sessions[index]) }
    for (index, session) in sessions.enumerated() {
      let address = SocketAddress.host(index + 1)
      #expect(index % 3 == 0 ? table[session.node] == nil : table[session.node] === session)
      #expect(
        index % 3 == 0 ? table.owner(of: address) == nil : table.owner(of: address) === session)
    }
    #expect(table.all.count == 42)
  }

  @Test func `an address that a member is at no more is anybodys`() {
    var table = SessionTable(capacity: 2)
    let (first, second) = (session(1, in: &table), session(2, in: &table))
    table.remove(first.paths[0], of: first)
    #expect(table.owner(of: .host(1)) == nil && first.paths.isEmpty)
    table.add(path(1), to: second)
    #expect(table.owner(of: .host(1)) === second)
    #expect(table.owner(of: SocketAddress(ipv4: 0x0A00_0101, port: 1)) == nil)
    // Who is nowhere is not shown.
    #expect(table.shown.map(\.node) == [second.node] && table.all.count == 2)
  }

  @Test func `a stream and its resent packets are one members`() throws {
    var table = SessionTable(capacity: 2)
    let (first, second) = (session(1, in: &table), session(2, in: &table))
    _ = bind(7, to: first, in: &table)
    #expect(!table.isFree(7) && !table.isFree(~7) && table.isFree(8))
    _ = bind(8, stream: 3, to: second, in: &table)
    #expect(second.keys(of: 8)?.number == 3 && second.keys(of: ~8)?.number == 3)
    #expect(second.keys(number: 0) == nil && second.keys(of: 7) == nil)
    table.remove(first)
    #expect(table.isFree(7) && table.isFree(~7) && first.keys.isEmpty)
    table.release(try #require(second.keys(of: 8)), of: second)
    #expect(table.isFree(8))
  }

  @Test func `who returns in the same stream has the keys that it had`() throws {
    var table = SessionTable(capacity: 2)
    let first = session(1, in: &table)
    let keys = bind(7, to: first, in: &table)
    let further = bind(9, stream: 1, to: first, in: &table)
    table.remove(first)
    let again = session(1, in: &table)
    let (same, sameToo) = (
      bind(7, to: again, in: &table), bind(9, stream: 1, to: again, in: &table)
    )
    #expect(same === keys && sameToo === further)
    table.remove(again)
    let other = session(1, in: &table)
    let (new, renumbered) = (
      bind(8, to: other, in: &table), bind(9, stream: 2, to: other, in: &table)
    )
    #expect(new !== keys && renumbered !== further)
  }

  @Test func `a name means the connected member then the exact then any case`() throws {
    var table = SessionTable(capacity: 8)
    let absent = session(1, name: "Bert", in: &table)
    _ = session(4, in: &table)
    let shouting = session(3, name: "BERT", in: &table, isConnected: true)
    let present = session(2, name: "Bert", in: &table, isConnected: true)
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
    var table = SessionTable(capacity: 8)
    let bert = session(1, name: "Bert", in: &table)
    _ = session(3, name: "Carl", in: &table)
    let second = path(2)
    table.add(second, to: bert)
    bert.go(by: second, with: repair)
    let (id, words) = (bert.node.text, bert.node.words)
    for text in [
      "BERT", id, id.uppercased(), String(id.prefix(6)), words.joined(separator: " "),
      words.joined(separator: "-").uppercased(), words.prefix(3).joined(separator: " "),
    ] {
      #expect(try table.find(text) === bert, "\(text)")
    }
    #expect(throws: IntercomError.self) { try table.find(String(id.prefix(5))) }
  }
}
