import Cryptography
import Testing

@testable import Store

@Suite struct PageFileTests {
  private static let page = KeptPage([
    .init(
      id: "abc", digest: AccessToken.digest(of: "a"), rights: "talk", name: "Bühne",
      unixSeconds: 1_800_000_000),
    .init(
      id: "def", digest: AccessToken.digest(of: "b"), rights: "admin", name: "Anna", unixSeconds: 7),
  ])

  private func start(_ disk: ModelDisk) throws -> NodeState {
    try NodeState(unixSeconds: 1_800_000_000) { disk }
  }

  @Test func `a node keeps who is signed in from start to start`() throws {
    let disk = ModelDisk()
    let first = try start(disk)
    #expect(first.page.sessions == KeptPage() && first.page.problem == nil)
    try first.keep(Self.page)
    #expect(try start(disk).page.sessions == Self.page)
  }

  @Test func `every damaged octet is found, and every file that is cut off`() throws {
    let disk = ModelDisk()
    try PageFile(disk: disk).write(Self.page)
    let whole = try #require(disk.files["page"])
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 0x40
      for octets in [damaged, Array(whole[..<index])] {
        #expect(throws: StoreError.self) {
          try PageFile(disk: ModelDisk(["page": octets])).read()
        }
      }
    }
  }

  @Test func `a damaged file is told, harms nothing else, and is replaced by the next`() throws {
    let disk = ModelDisk(["page": [1, 2, 3]])
    let state = try start(disk)
    #expect(state.problem == nil && state.page.problem != nil)
    #expect(state.page.sessions == KeptPage())
    try state.keep(Self.page)
    #expect(try start(disk).page.sessions == Self.page)
  }

  @Test func `more than are kept, and what is too long, is left out`() throws {
    let disk = ModelDisk()
    var page = KeptPage()
    for number in 0..<70 {
      page.entries.append(
        .init(
          id: "\(number)", digest: AccessToken.digest(of: "\(number)"), rights: "talk",
          name: number == 69 ? String(repeating: "x", count: 64) : "x", unixSeconds: 1))
    }
    try PageFile(disk: disk).write(page)
    #expect(try PageFile(disk: disk).read().entries.map(\.id) == (6..<69).map { "\($0)" })
  }

  @Test func `a node's page keys are its own, one for each purpose`() throws {
    let disk = ModelDisk()
    let state = try start(disk)
    let key = try state.pageKey(for: .node).publicKey
    #expect(try start(disk).pageKey(for: .node).publicKey == key)
    #expect(try state.pageKey(for: .authority).publicKey != key)
    #expect(try start(ModelDisk()).pageKey(for: .node).publicKey != key)
  }
}
