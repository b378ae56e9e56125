import Cryptography
import Habits
import Testing

@testable import Store

@Suite struct NamesFileTests {
  private static func node(_ number: Int) throws -> NodeID {
    var octets = [UInt8](repeating: 0, count: NodeID.byteCount)
    octets[0] = UInt8(truncatingIfNeeded: number >> 8)
    octets[1] = UInt8(truncatingIfNeeded: number)
    return try #require(NodeID(octets: octets))
  }

  private static func names() throws -> NameMemory {
    NameMemory(entries: [
      try node(1): .init(wish: "Bühne", name: "Bühne"),
      try node(2): .init(wish: "Bühne", name: "Bühne-2"),
    ])
  }

  private func start(_ disk: ModelDisk) throws -> NodeState {
    try NodeState(unixSeconds: 1_800_000_000) { disk }
  }

  @Test func `a node keeps what members are called from start to start`() throws {
    let disk = ModelDisk()
    let first = try start(disk)
    #expect(first.names == NameMemory() && first.namesProblem == nil)
    try first.keep(Self.names())
    #expect(try start(disk).names == Self.names())
  }

  @Test func `every damaged octet is found, and every file that is cut off`() throws {
    let disk = ModelDisk()
    try NamesFile(disk: disk).write(Self.names())
    let whole = try #require(disk.files["names"])
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 0x40
      for octets in [damaged, Array(whole[..<index])] {
        #expect(throws: StoreError.self) {
          try NamesFile(disk: ModelDisk(["names": octets])).read()
        }
      }
    }
  }

  @Test func `a damaged file is told, harms nothing else, and is replaced by the next names`()
    throws
  {
    let disk = ModelDisk(["names": [1, 2, 3]])
    let state = try start(disk)
    #expect(state.problem == nil && state.portsProblem == nil)
    #expect(state.namesProblem != nil && state.names == NameMemory())
    try state.keep(Self.names())
    #expect(try start(disk).names == Self.names())
  }

  @Test(arguments: 0..<6)
  func `power cuts while they are kept leave the names before or after it`(step: Int) throws {
    let before = ModelDisk()
    let former = NameMemory(entries: [try Self.node(3): .init(wish: "Regie", name: "Regie")])
    try start(before).keep(former)
    // Six steps of the counter come first.
    let disk = ModelDisk(before.files, atStep: step + 6)
    let cut = try start(disk)
    #expect(cut.problem == nil)
    #expect(throws: StoreError.self) { try cut.keep(Self.names()) }
    for remains in disk.possibleRemains {
      let found = try start(ModelDisk(remains))
      #expect(found.namesProblem == nil)
      #expect([former, try Self.names()].contains(found.names))
    }
  }

  @Test func `of too many members as many are kept as there is a bound, and can be read`() throws {
    var names = NameMemory()
    let longest = String(repeating: "x", count: NameMemory.longestNameBytes)
    for number in 0..<(NameMemory.mostEntries + 9) {
      names.entries[try Self.node(number)] = .init(wish: longest, name: longest)
    }
    names.entries[try Self.node(0)] = .init(wish: longest + "x", name: "short")
    let disk = ModelDisk()
    try start(disk).keep(names)
    let kept = try start(disk).names
    #expect(kept.entries.count == NameMemory.mostEntries)
    #expect(kept.entries[try Self.node(0)] == nil)
  }

  @Test func `without a place they cannot be kept, which is told`() throws {
    let state = try NodeState(directory: nil, unixSeconds: 1_800_000_000)
    #expect(throws: StoreError.notKept(reason: "\(StoreError.noPlace)")) {
      try state.keep(Self.names())
    }
  }
}
