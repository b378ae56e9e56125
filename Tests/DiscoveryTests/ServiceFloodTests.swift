import Cryptography
import Mesh
import TestKit
import Testing

@testable import Discovery

/// 10 000 hostile announcements, and a true node among them.
@Suite struct ServiceFloodTests {
  private static let count = 10_000

  private func isWithinLimits(_ bench: TableBench) -> Bool {
    let table = bench.table
    return table.nodes.count <= table.limits.nodes && table.entries.count <= table.limits.instances
      && table.waiting.count <= table.entries.count
      && table.resolvingCount <= table.limits.resolving
      && bench.open.count == table.watched.count && bench.open.count <= table.limits.instances
      && table.nodes.values.allSatisfy { $0.instances.count <= table.limits.instancesPerNode }
  }

  @Test func `made up nodes fill no more than their room, and a node of our group finds some`()
    throws
  {
    let crew = try group(1)
    var bench = TableBench(groups: [crew])
    bench.answer = { instance in
      instance.name == "true"
        ? TableBench.resolution(77_777, name: "true", groups: [crew])
        : TableBench.resolution(1 + (Int(instance.name) ?? 0))
    }
    for number in 0..<Self.count {
      bench.table.appeared(TableBench.instance("\(number)"), nowNanoseconds: bench.now)
      if number % 100 == 0 { bench.pass(milliseconds: 10) }
      if !isWithinLimits(bench) { Issue.record("after \(number)") }
    }
    bench.table.appeared(TableBench.instance("true"), nowNanoseconds: bench.now)
    bench.pass(milliseconds: 20_000)
    #expect(isWithinLimits(bench))
    let words = bench.takeWords()
    #expect(words.contains("found true 1 shares"))
    // A burst, then a rate; who was put out is told, too.
    #expect(words.count <= 2 * (256 + 21 * 64))
    #expect(bench.begun <= 64 + 21 * 64 + 1)
    #expect(bench.table.counters.crowdedInstances > 8000)
  }

  @Test func `names that nobody answers for do not keep a true node waiting for ever`() {
    var bench = TableBench()
    bench.answer = { $0.name == "true" ? TableBench.resolution(1, name: "true") : nil }
    for number in 0..<Self.count {
      bench.table.appeared(TableBench.instance("\(number)"), nowNanoseconds: bench.now)
    }
    bench.table.appeared(TableBench.instance("true"), nowNanoseconds: bench.now)
    var seconds = 0
    while seconds < 120, bench.events.isEmpty {
      bench.pass(milliseconds: 5000)
      seconds += 5
      // As Avahi tells after 5 s without an answer.
      for (token, instance) in bench.open.sorted(by: { $0.key < $1.key })
      where instance.name != "true" {
        bench.table.failed(token, nowNanoseconds: bench.now)
      }
      bench.settle()
      if !isWithinLimits(bench) { Issue.record("after \(seconds) s") }
    }
    #expect(bench.takeWords() == ["found true 1"])
  }

  @Test func `one node has eight addresses, however many instances claim it`() {
    var bench = TableBench()
    bench.answer = {
      TableBench.resolution(
        1, address: NodeAddress(.ipv4(0x0A00_0000 + (UInt32($0.name) ?? 0)), port: 5))
    }
    for number in 1...Self.count {
      bench.table.appeared(TableBench.instance("\(number)"), nowNanoseconds: bench.now)
    }
    bench.pass(milliseconds: 60_000)
    #expect(isWithinLimits(bench))
    #expect(bench.takeWords().last == "found A 8")
    #expect(bench.table.counters.crowdedAddresses > 100)
  }

  private static func address(_ instance: ServiceInstance) -> NodeAddress {
    let last = instance.name == "true" ? 1 : 0x100 + (UInt32(instance.name) ?? 0)
    return NodeAddress(.ipv4(0x0A00_0000 + last), port: 5)
  }

  /// Where the one node is that all instances claim, as told last.
  private static func addresses(_ bench: TableBench) -> [NodeAddress] {
    guard case .found(let announcement, _, _)? = bench.events.last else { return [] }
    return announcement.addresses
  }

  @Test(arguments: [8, 500])
  func `made up instances of a node keep its true one neither out nor waiting till they are gone`(
    count: Int
  ) {
    var bench = TableBench()
    bench.answer = { TableBench.resolution(1, address: Self.address($0)) }
    let fakes = (0..<count).map { TableBench.instance("\($0)") }
    for fake in fakes { bench.table.appeared(fake, nowNanoseconds: bench.now) }
    bench.pass(milliseconds: 20_000)
    let real = TableBench.instance("true")
    bench.table.appeared(real, nowNanoseconds: bench.now)
    bench.pass(milliseconds: 5000)
    #expect(isWithinLimits(bench))
    #expect(Self.addresses(bench).count == 8 && Self.addresses(bench).contains(Self.address(real)))
    for fake in fakes { bench.table.disappeared(fake, nowNanoseconds: bench.now) }
    bench.pass(milliseconds: 1000)
    #expect(Self.addresses(bench) == [Self.address(real)])
  }

  @Test func `a node put out by made up instances is browsed for, and stays on other ways`()
    throws
  {
    var bench = TableBench()
    bench.answer = { TableBench.resolution(1, address: Self.address($0)) }
    let ways = [TableBench.instance("true"), TableBench.instance("true", interface: 3)]
    for way in ways { bench.table.appeared(way, nowNanoseconds: bench.now) }
    bench.pass(milliseconds: 1000)
    for number in 0..<400 {
      bench.table.appeared(TableBench.instance("\(number)"), nowNanoseconds: bench.now)
    }
    bench.pass(milliseconds: 20_000)
    #expect(bench.table.entries[ways[0]] == nil && bench.table.entries[ways[1]] != nil)
    #expect(bench.browsed == 0)
    bench.pass(milliseconds: 45_000)
    #expect(bench.browsed == 1)
  }

  @Test func `random events keep the limits and the books`() throws {
    for seed in Seeds.first(20) {
      var random = SplitMix64(seed: seed)
      var limits = ServiceTable.Limits()
      (limits.nodes, limits.instances, limits.resolving, limits.instancesPerNode) = (5, 20, 4, 2)
      let crew = try group(1)
      var bench = TableBench(groups: [crew], limits: limits)
      for step in 0..<2000 {
        let instance = TableBench.instance(
          "\(Int.random(in: 0..<40, using: &random))", isIPv6: random.chance(0.5))
        let token = bench.open.keys.sorted().randomElement(using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3: bench.table.appeared(instance, nowNanoseconds: bench.now)
        case 4: bench.table.disappeared(instance, nowNanoseconds: bench.now)
        case 5...7:
          let answer = TableBench.resolution(
            Int.random(in: 0..<12, using: &random), groups: random.chance(0.5) ? [crew] : [])
          if let token { bench.table.resolved(token, answer, nowNanoseconds: bench.now) }
        case 8: if let token { bench.table.failed(token, nowNanoseconds: bench.now) }
        case 9 where random.chance(0.05):
          bench.table.forgetInstances(nowNanoseconds: bench.now)
          bench.open.removeAll()
        default: bench.pass(milliseconds: .random(in: 0...3000, using: &random))
        }
        bench.settle()
        if !isWithinLimits(bench) { Issue.record("seed \(seed), step \(step)") }
      }
      // Who was told as found is there, or was told as lost.
      var known: Set<NodeID> = []
      for event in bench.events {
        switch event {
        case .found(let announcement, _, _): known.insert(announcement.node)
        case .lost(let node): #expect(known.remove(node) != nil, "seed \(seed)")
        default: Issue.record("seed \(seed): \(event)")
        }
      }
      #expect(known == Set(bench.table.nodes.filter { $0.value.told != nil }.keys), "seed \(seed)")
    }
  }
}
