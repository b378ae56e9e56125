import Cryptography
import Mesh
import TestKit
import Testing

@testable import Discovery

@Suite struct ServiceTableTests {
  private static let ipv6 = NodeAddress(.ipv6(0xFE80_0000_0000_0000, 1), port: 5, scope: 2)

  private static func benchWithOne() -> TableBench {
    var bench = TableBench()
    bench.answer = { instance in
      TableBench.resolution(1, address: instance.isIPv6 ? Self.ipv6 : nil)
    }
    bench.table.appeared(TableBench.instance("a"), nowNanoseconds: 0)
    bench.table.appeared(TableBench.instance("a", isIPv6: true), nowNanoseconds: 0)
    return bench
  }

  @Test func `a node is told once, 100 ms later, with all its addresses, those of one link last`()
    throws
  {
    var bench = Self.benchWithOne()
    bench.pass(milliseconds: 99)
    #expect(bench.events.isEmpty)
    bench.pass(milliseconds: 1)
    #expect(bench.events.count == 1)
    guard case .found(let announcement, "A", "1")? = bench.events.first else {
      Issue.record("\(bench.events)")
      return
    }
    #expect(announcement.node == node(1))
    #expect(announcement.addresses == [NodeAddress(.ipv4(0x0A00_0001), port: 5), Self.ipv6])
    #expect(!announcement.sharesGroup)
    bench.pass(milliseconds: 100_000)
    #expect(bench.events.count == 1)
  }

  @Test func `it is lost with its last instance, at once`() {
    var bench = Self.benchWithOne()
    bench.pass(milliseconds: 200)
    bench.table.disappeared(TableBench.instance("a"), nowNanoseconds: bench.now)
    bench.pass(milliseconds: 200)
    #expect(bench.takeWords() == ["found A 2", "found A 1"])
    bench.table.disappeared(TableBench.instance("a", isIPv6: true), nowNanoseconds: bench.now)
    bench.settle()
    #expect(bench.takeWords() == ["lost"])
    #expect(bench.open.isEmpty)
    #expect(bench.table.counters.nodes == 0 && bench.table.counters.instances == 0)
  }

  @Test func `a node that goes before it was told is not told`() {
    var bench = Self.benchWithOne()
    bench.pass(milliseconds: 50)
    for isIPv6 in [false, true] {
      bench.table.disappeared(TableBench.instance("a", isIPv6: isIPv6), nowNanoseconds: bench.now)
    }
    bench.pass(milliseconds: 10_000)
    #expect(bench.events.isEmpty)
  }

  @Test func `another name, address or group is told; the same again is not`() throws {
    let crew = try group(1)
    var bench = TableBench(groups: [crew])
    let instance = TableBench.instance("a")
    bench.answer = { _ in TableBench.resolution(1) }
    bench.table.appeared(instance, nowNanoseconds: 0)
    bench.pass(milliseconds: 200)
    let token = try #require(bench.token(of: instance))
    let answers = [
      TableBench.resolution(1), TableBench.resolution(1, name: "B"),
      TableBench.resolution(1, name: "B", address: NodeAddress(.ipv4(0x0A00_0009), port: 5)),
      TableBench.resolution(1, name: "B", groups: [crew]),
    ]
    for answer in answers {
      bench.table.resolved(token, answer, nowNanoseconds: bench.now)
      bench.pass(milliseconds: 200)
    }
    #expect(bench.takeWords() == ["found A 1", "found B 1", "found B 1", "found B 1 shares"])
    bench.table.regroup([], nowNanoseconds: bench.now)
    bench.pass(milliseconds: 200)
    #expect(bench.takeWords() == ["found B 1"])
  }

  @Test
  func `a node that is asked for anew is told where it is now, though nothing announced that`()
    throws
  {
    var bench = Self.benchWithOne()
    bench.pass(milliseconds: 200)
    #expect(bench.takeWords() == ["found A 2"])
    bench.table.resolveAnew(node(1), nowNanoseconds: bench.now)
    bench.pass(milliseconds: 200)
    #expect(bench.takeWords().isEmpty, "it is where it was")
    let address = NodeAddress(.ipv4(0x0A00_0009), port: 5)
    bench.answer = { _ in TableBench.resolution(1, address: address) }
    bench.table.resolveAnew(node(1), nowNanoseconds: bench.now)
    bench.pass(milliseconds: 200)
    guard case .found(let announcement, _, _)? = bench.events.last else {
      Issue.record("\(bench.events)")
      return
    }
    #expect(announcement.addresses == [address])
    #expect(bench.open.count == 2)
    bench.table.resolveAnew(node(7), nowNanoseconds: bench.now)
    bench.pass(milliseconds: 200)
    #expect(bench.open.count == 2)
  }

  @Test func `many changes within 100 ms are told as one`() throws {
    var bench = Self.benchWithOne()
    bench.pass(milliseconds: 200)
    bench.events.removeAll()
    let token = try #require(bench.token(of: TableBench.instance("a")))
    for name in 0..<1000 {
      bench.table.resolved(
        token, TableBench.resolution(1, name: "\(name)"), nowNanoseconds: bench.now)
    }
    bench.pass(milliseconds: 200)
    #expect(bench.takeWords() == ["found 999 2"])
  }

  @Test func `we do not find ourselves`() {
    var bench = TableBench()
    bench.answer = { _ in TableBench.resolution(0) }
    bench.table.appeared(TableBench.instance("a"), nowNanoseconds: 0)
    bench.pass(milliseconds: 1000)
    #expect(bench.events.isEmpty)
    #expect(bench.open.isEmpty)
    #expect(bench.table.counters.instances == 0)
  }

  @Test func `what is not resolved is tried three times, and browsed for again a minute later`()
    throws
  {
    var bench = TableBench()
    let instance = TableBench.instance("a")
    bench.table.appeared(instance, nowNanoseconds: 0)
    for attempt in 1...3 {
      bench.pass(milliseconds: 5000)
      #expect(bench.begun == attempt)
      let token = try #require(bench.token(of: instance))
      bench.table.failed(token, nowNanoseconds: bench.now)
    }
    bench.pass(milliseconds: 59_000)
    #expect(bench.begun == 3)
    #expect(bench.table.counters.instances == 0)
    #expect(bench.browsed == 0)
    bench.pass(milliseconds: 2000)
    #expect(bench.browsed == 1)
    #expect(bench.table.nextDeadlineNanoseconds == nil)
  }

  @Test func `a node whose resolver goes silent stays until it cannot be resolved again`() throws {
    var bench = TableBench()
    let instance = TableBench.instance("a")
    bench.answer = { _ in TableBench.resolution(1) }
    bench.table.appeared(instance, nowNanoseconds: 0)
    bench.pass(milliseconds: 200)
    bench.answer = { _ in nil }
    for _ in 1...3 {
      #expect(bench.takeWords().allSatisfy { $0 == "found A 1" })
      bench.table.failed(try #require(bench.token(of: instance)), nowNanoseconds: bench.now)
      bench.pass(milliseconds: 5000)
    }
    #expect(bench.takeWords() == ["lost"])
  }

  @Test func `nodes have five seconds to come back by another backend`() {
    var bench = Self.benchWithOne()
    bench.pass(milliseconds: 200)
    bench.table.forgetInstances(nowNanoseconds: bench.now)
    bench.open.removeAll()
    bench.pass(milliseconds: 4000)
    #expect(bench.takeWords() == ["found A 2"])
    bench.table.appeared(TableBench.instance("a"), nowNanoseconds: bench.now)
    bench.table.appeared(TableBench.instance("a", isIPv6: true), nowNanoseconds: bench.now)
    bench.pass(milliseconds: 10_000)
    #expect(bench.takeWords().isEmpty)
    bench.table.forgetInstances(nowNanoseconds: bench.now)
    bench.pass(milliseconds: 4999)
    #expect(bench.events.isEmpty)
    bench.pass(milliseconds: 1)
    #expect(bench.takeWords() == ["lost"])
  }

  @Test(arguments: [
    (NodeAddress(.ipv4(0x7F00_0001), port: 5), false), (NodeAddress(.ipv4(0), port: 5), false),
    (NodeAddress(.ipv4(0xE000_00FB), port: 5), false), (NodeAddress(.ipv4(.max), port: 5), false),
    (NodeAddress(.ipv4(0x0A00_0001), port: 0), false),
    (NodeAddress(.ipv4(0x0A00_0001), port: 5), true),
    (NodeAddress(.ipv6(0, 0), port: 5), false), (NodeAddress(.ipv6(0, 1), port: 5), false),
    (NodeAddress(.ipv6(0, 0xFFFF_7F00_0001), port: 5), false),
    (NodeAddress(.ipv6(0xFF02 << 48, 1), port: 5), false),
    (NodeAddress(.ipv6(0xFE80 << 48, 1), port: 5), false),
    (NodeAddress(.ipv6(0xFE80 << 48, 1), port: 5, scope: 2), true),
    (NodeAddress(.ipv6(0x2001_0DB8 << 32, 1), port: 5), true),
  ])
  func `addresses that no other host can have are refused`(address: NodeAddress, isGood: Bool) {
    var bench = TableBench()
    bench.answer = { _ in TableBench.resolution(1, address: address) }
    bench.table.appeared(TableBench.instance("a"), nowNanoseconds: 0)
    bench.pass(milliseconds: 1000)
    #expect(bench.takeWords().count == (isGood ? 1 : 0))
    #expect(bench.table.counters.unusableAddresses == (isGood ? 0 : 1))
  }

  @Test func `an instance that names another node now moves to it`() throws {
    var bench = TableBench()
    let instance = TableBench.instance("a")
    bench.answer = { _ in TableBench.resolution(1) }
    bench.table.appeared(instance, nowNanoseconds: 0)
    bench.pass(milliseconds: 200)
    bench.table.resolved(
      try #require(bench.token(of: instance)), TableBench.resolution(2, name: "B"),
      nowNanoseconds: bench.now)
    bench.pass(milliseconds: 200)
    #expect(bench.takeWords() == ["found A 1", "lost", "found B 1"])
  }
}
