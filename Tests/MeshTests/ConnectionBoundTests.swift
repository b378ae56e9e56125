import Mesh
import Testing

/// How many connections there are at most, whoever makes them.
@Suite struct ConnectionBoundTests {
  @Test func `strangers have 16 connections at most, and members get in all the same`() {
    let bench = Bench(policy: .ask)
    for number in 0..<1000 {
      bench.give(.accepted(bench.open(Bench.id(0x30, UInt16(number)), group: false)))
    }
    #expect(bench.taken().closed.count == 1000 - 16)
    _ = bench.accept(Bench.lower)
    #expect(bench.taken().admitted == [Bench.lower])
  }

  @Test func `members and their connections are bounded, even those of a group`() {
    let bench = Bench()
    for number in 0..<1000 { _ = bench.accept(Bench.id(0x30, UInt16(number))) }
    #expect(bench.mesh.members.count == MeshLimits.members)
    for number in 0..<1000 { bench.give(.accepted(bench.open(Bench.id(0x31, UInt16(number))))) }
    #expect(bench.taken().closed.count == 1000 - 128 + 1000 - (512 - 128))
  }

  @Test func `a node has 4 connections at most`() {
    let bench = Bench()
    for _ in 0..<100 { bench.give(.accepted(bench.open(Bench.lower))) }
    #expect(bench.taken().closed == Array(repeating: .crowded, count: 96))
  }
}
