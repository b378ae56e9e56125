import Cryptography
import Glibc
import Mesh
import Testing

@testable import Store

/// Another identity, for one of two nodes that have the same.
@Suite struct RenewalTests {
  private static let now: Int64 = 1_800_000_000

  @Test func `a new identity is that of the next start, with the groups and trust of the old one`()
    throws
  {
    let disk = ModelDisk()
    let first = try NodeState(unixSeconds: Self.now) { disk }
    let group = try first.makeGroup(named: "crew")
    let friend = try #require(NodeID(octets: [UInt8](repeating: 7, count: NodeID.byteCount)))
    try first.keep(MeshMemory(trusted: [friend]))
    let id = first.id
    let new = try first.renewIdentity()
    #expect(first.id == id && new != id)
    let second = try NodeState(unixSeconds: Self.now) { disk }
    #expect(second.id == new && second.instance > first.instance && second.problem == nil)
    #expect(second.groups.first?.hasSameSecret(as: group) == true)
    #expect(second.memory.trusted == [friend])
  }

  @Test(arguments: 0..<12)
  func `on a disk that fails meanwhile it is the old one or the new one`(step: Int) throws {
    let healthy = ModelDisk()
    let id = try NodeState(unixSeconds: Self.now) { healthy }.id
    let disk = ModelDisk(healthy.files, fault: .failsFromThenOn(EIO), atStep: step)
    let new = try? IdentityFile(disk: disk).renew()
    let next = try NodeState(unixSeconds: Self.now) { ModelDisk(disk.files) }
    #expect(next.problem == nil)
    if let new { #expect(next.id == new) }
    if new == nil, step == 0 { #expect(next.id == id) }
  }

  @Test func `a node that keeps nothing says why it cannot have another`() throws {
    let state = try NodeState(directory: nil, unixSeconds: Self.now)
    #expect {
      try state.renewIdentity()
    } throws: {
      "\($0)".contains("no directory for the node's state")
    }
  }

  @Test func `forgotten nodes are kept, and a file of before there were any is read`() throws {
    let disk = ModelDisk()
    let node = try #require(NodeID(octets: [UInt8](repeating: 9, count: NodeID.byteCount)))
    let plain = MeshMemory(entries: [.init(node: node, instance: 3)])
    try MemoryFile(disk: disk).write(plain)
    let former = try #require(disk.files["mesh"])
    var memory = plain
    memory.forgotten = [.init(node: node, instance: 1 << 40)]
    try MemoryFile(disk: disk).write(memory)
    #expect(try MemoryFile(disk: disk).read() == memory)
    #expect(try #require(disk.files["mesh"]).count == former.count + 2 + NodeID.byteCount + 8)
    #expect(try MemoryFile(disk: ModelDisk(["mesh": former])).read() == plain)
  }
}
