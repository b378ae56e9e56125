import Cryptography
import EventLoop
import Mesh
import StatusSchema
import Synchronization
import Testing

@testable import Intercom

/// What nodes are called, who has its name no more, and whose identity runs twice.
extension MembershipTests {
  @Test func `of members of one name each is listed, and found, by the name that the mixer has`()
    async throws
  {
    let membership = try membership()
    await membership.start()
    try await join(membership, 2, connection)
    try await join(membership, 3, ConnectionID(rawValue: 8))
    let called = [try Self.node(2): "box", try Self.node(3): "box-2", try Self.node(4): "gone"]
    media.called.withLock { $0 = called }
    #expect(await membership.knownNodes.map(\.name) == ["box", "box-2"])
    try await membership.block("box-2")
    let blocked = await membership.knownNodes.filter { $0.admission == "blocked" }
    #expect(blocked.map(\.id) == [try Self.node(3).text])
    // Who is looked for no more has its name still.
    try await membership.forget("gone")
    await #expect(throws: IntercomError.self) { try await membership.forget("nobody") }
  }

  @Test func `the name of a node that another user forgot is free, and that is told`() async throws
  {
    let membership = try membership()
    await membership.start()
    await membership.perform(.forgotten(try Self.node(9), by: try Self.node(2)))
    #expect(await media.next() == "free the name of 9")
    #expect(reports.words.count == 1 && reports.words[0].contains("forgotten"))
  }

  @Test func `another start of this identity is known for minutes after the last that told of it`()
    async throws
  {
    let membership = try membership()
    await membership.start()
    try await join(membership, 2, connection)
    #expect(await membership.twin == nil)
    await membership.handle(.received(.twin(Twin(instance: 4)), connection))
    await membership.handle(.received(.twin(Twin(instance: 4)), connection))
    let earlier = try #require(await membership.twin)
    #expect(!earlier.isLater && earlier.toldBy == "N2" && earlier.words.contains("is kept out"))
    #expect(reports.words.count { $0.contains("twin") } == 1)
    time.pass(seconds: 301)
    #expect(await membership.twin == nil)
    await membership.perform(.twin(instance: 6, toldBy: try Self.node(2), at: nil))
    #expect(await membership.twin?.isLater == true)
    #expect(reports.words.count { $0.contains("twin") } == 2)
    time.pass(seconds: 301)
    #expect(await membership.twin == nil)
  }

  @Test func `members are told another name of this node, and a name that it has already not`()
    async throws
  {
    let membership = try membership()
    await membership.start()
    try await join(membership, 2, connection)
    let before = transport.messages(on: connection).count
    await membership.rename("stage left")
    await membership.rename("stage left")
    let sent = transport.messages(on: connection).dropFirst(before)
    guard sent.count == 1, case .hello(let hello)? = sent.first else {
      Issue.record("\(sent)")
      return
    }
    #expect(hello.profile.name == "stage left")
    #expect(await membership.ownName == "stage left")
  }
}
