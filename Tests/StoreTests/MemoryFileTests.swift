import Cryptography
import Glibc
import Mesh
import Testing

@testable import Store

@Suite struct MemoryFileTests {
  private static func node(_ octet: UInt8) throws -> NodeID {
    try #require(NodeID(octets: [UInt8](repeating: octet, count: NodeID.byteCount)))
  }

  private static func memory() throws -> MeshMemory {
    let ipv4 = NodeAddress(.ipv4(0x0A00_0001), port: 5004)
    let ipv6 = NodeAddress(.ipv6(0x2001_0DB8_0000_0000, 1), port: 5006)
    return MeshMemory(
      trusted: [try node(1), try node(2)], blocked: [try node(3)],
      entries: [
        .init(node: try node(4), instance: 1 << 60, addresses: [ipv4, ipv6]),
        .init(node: try node(1), instance: 7),
      ])
  }

  @Test func `what is written is read again`() throws {
    let disk = ModelDisk()
    #expect(try MemoryFile(disk: disk).read() == MeshMemory())
    try MemoryFile(disk: disk).write(Self.memory())
    #expect(try MemoryFile(disk: disk).read() == Self.memory())
  }

  @Test func `addresses that hold on one link only are left out`() throws {
    let disk = ModelDisk()
    let linkLocal = NodeAddress(.ipv6(0xFE80 << 48, 1), port: 5004, scope: 2)
    let entry = NodeRecord(node: try Self.node(1), instance: 1, addresses: [linkLocal])
    try MemoryFile(disk: disk).write(MeshMemory(entries: [entry]))
    #expect(try MemoryFile(disk: disk).read().entries.first?.addresses == [])
  }

  @Test func `every damaged octet is found, and every file that is cut off`() throws {
    let disk = ModelDisk()
    try MemoryFile(disk: disk).write(Self.memory())
    let whole = try #require(disk.files["mesh"])
    for index in whole.indices {
      var damaged = whole
      damaged[index] ^= 0x40
      #expect(throws: StoreError.self) {
        try MemoryFile(disk: ModelDisk(["mesh": damaged])).read()
      }
      #expect(throws: StoreError.self) {
        try MemoryFile(disk: ModelDisk(["mesh": Array(whole[..<index])])).read()
      }
    }
  }

  @Test func `a node keeps whom it trusts from start to start`() throws {
    let disk = ModelDisk()
    let first = try NodeState(unixSeconds: 1_800_000_000) { disk }
    #expect(first.memory == MeshMemory() && first.memoryProblem == nil)
    try first.keep(Self.memory())
    let second = try NodeState(unixSeconds: 1_800_000_000) { disk }
    #expect(second.memory == (try Self.memory()))
  }

  @Test func `a damaged file is told, and not written over`() throws {
    let disk = ModelDisk(["mesh": [1, 2, 3]])
    let state = try NodeState(unixSeconds: 1_800_000_000) { disk }
    #expect(state.problem == nil && state.memoryProblem != nil)
    #expect(throws: StoreError.self) { try state.keep(Self.memory()) }
    #expect(disk.files["mesh"] == [1, 2, 3])
  }
}
