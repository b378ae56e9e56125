import Cryptography
import Mesh
import TestKit
import Testing

/// Who dials whom when, and what follows a failure.
@Suite struct DialRuleTests {
  @Test func `of a pair the higher ID dials at once`() {
    let bench = Bench()
    bench.discover(Bench.lower)
    bench.pass(seconds: 0.03)
    #expect(bench.taken().dialledAddresses == [Bench.address(1)])
  }

  @Test func `a link-local address is dialled, of IPv6 only with its interface`() {
    let bench = Bench()
    let ipv4 = NodeAddress(.ipv4(0xA9FE_4D02), port: 5004)
    let ipv6 = NodeAddress(.ipv6(0xFE80 << 48, 2), port: 5004, scope: 3)
    bench.give(.named(0, [ipv4]))
    bench.give(.named(1, [NodeAddress(ipv6.host, port: 5004)]))
    bench.give(.named(2, [ipv6]))
    bench.pass(seconds: 0.03)
    #expect(Set(bench.taken().dialledAddresses) == [ipv4, ipv6])
  }

  @Test func `the interface by which an IPv4 address was heard of makes it no other one`() {
    let host = NodeAddress.Host.ipv4(0xA9FE_4D02)
    #expect(NodeAddress(host, port: 5004, scope: 3) == NodeAddress(host, port: 5004))
  }

  @Test func `the lower ID waits three times what a dial takes, then dials too`() {
    let bench = Bench()
    bench.discover(Bench.higher)
    bench.pass(seconds: 0.59)
    #expect(bench.taken().dials.isEmpty)
    bench.pass(seconds: 0.05)
    #expect(bench.taken().dials.count == 1)
  }

  @Test func `waits double from half a second to thirty, less up to a quarter`() {
    var longest = 0.0
    for seed: UInt64 in 1...20 {
      let bench = Bench(seed: seed)
      bench.discover(Bench.lower)
      let waits = bench.failedWaits(count: 12, within: 300)
      #expect(waits.count == 12)
      for (index, wait) in waits.enumerated() {
        let base = min(0.5 * Double(1 << min(index, 6)), 30)
        #expect(wait >= base * 0.75 && wait <= base, "seed \(seed), \(index): \(wait)")
        longest = max(longest, wait)
      }
      #expect(Set(waits).count > 10, "no jitter")
    }
    #expect(longest > 29)
  }

  @Test func `the waiting side waits three times as long, and never more than thirty seconds`() {
    let bench = Bench()
    bench.discover(Bench.higher)
    let waits = bench.failedWaits(count: 9, within: 300)
    for (index, wait) in waits.enumerated() {
      let base = 1.5 * Double(1 << index)
      #expect(wait >= min(base, 30) * 0.75 && wait <= min(base, 30), "\(index): \(wait)")
    }
  }

  @Test func `every fifth failure rebuilds a peer and looks its addresses up afresh`() {
    let bench = Bench()
    bench.discover(Bench.lower)
    var rebuilt: [Int] = []
    var failures = 0
    while failures < 12 {
      bench.pass(seconds: 0.05)
      let actions = bench.taken()
      for attempt in actions.dials {
        failures += 1
        bench.give(.failed(attempt))
        let after = bench.taken()
        if after.contains(.rebuilt(.node(Bench.lower))) {
          rebuilt.append(failures)
          #expect(after.contains(.resolve(.node(Bench.lower))))
        }
      }
    }
    #expect(rebuilt == [5, 10])
  }

  @Test func `what a fresh look-up finds is tried before what worked once, after five failures`() {
    for isRebuilt in [false, true] {
      let bench = Bench()
      let connection = bench.accept(Bench.lower)
      bench.keepAlive(connection, seconds: 20)
      bench.give(.closed(connection))
      _ = bench.failedWaits(count: isRebuilt ? 4 : 2, within: 12)
      _ = bench.taken()
      bench.give(.resolved(.node(Bench.lower), [Bench.address(2)]))
      bench.pass(seconds: 10)
      let worked = Bench.address(99, port: 5005)
      let expected = isRebuilt ? [Bench.address(2), worked] : [worked, Bench.address(2)]
      #expect(Array(bench.taken().dialledAddresses.prefix(2)) == expected)
    }
  }

  @Test func `addresses are tried a quarter of a second apart, and the first that answers stays`() {
    let bench = Bench()
    bench.discover(Bench.lower, (1...3).map { Bench.address($0) })
    bench.pass(seconds: 0.3)
    let dials = bench.taken().dials
    #expect(dials.count == 2)
    bench.give(.dialled(dials[1], bench.open(Bench.lower)))
    let actions = bench.taken()
    #expect(actions.contains(.abandon(dials[0])))
    bench.pass(seconds: 1)
    #expect(bench.taken().dials.isEmpty)
  }

  @Test func `an address that fails at once makes way for the next at once`() {
    let bench = Bench()
    bench.discover(Bench.lower, [Bench.address(1), Bench.address(2)])
    bench.pass(seconds: 0.021)
    bench.give(.failed(bench.taken().dials[0]))
    #expect(bench.taken().dialledAddresses == [Bench.address(2)])
  }

  @Test func `an attempt that hears nothing is given up and fails`() {
    let bench = Bench()
    bench.discover(Bench.lower)
    bench.pass(seconds: 0.03)
    let dial = bench.taken().dials[0]
    bench.pass(seconds: 3.6)
    #expect(bench.taken().contains(.abandon(dial)))
    #expect(bench.mesh.reports.first?.failureCount == 1)
  }

  @Test func `a watchdog of 35 s bounds every attempt, however it dawdles`() throws {
    let bench = Bench()
    bench.discover(Bench.lower, (1...8).map { Bench.address($0) })
    bench.pass(seconds: 0.03)
    let begun = bench.now
    let watchdog = try #require(bench.mesh.reports.first?.watchdogNanoseconds)
    #expect(watchdog <= begun + .seconds(35) && watchdog > begun + .seconds(34))
    var last: AttemptID?
    while bench.mesh.reports.first?.failureCount == 0, bench.now < begun + .seconds(60) {
      for dial in bench.taken().dials { last = dial }
      if let last { bench.give(.securing(last)) }
      bench.pass(seconds: 1)
    }
    #expect(bench.now - begun >= .seconds(34) && bench.now - begun <= .seconds(36))
  }

  @Test func `progress is shown from the first wait to the member`() {
    let bench = Bench()
    func progress() -> DialProgress? { bench.mesh.reports.first?.progress }
    bench.give(.named(3, []))
    bench.pass(seconds: 0.03)
    #expect(progress() == .resolving)
    bench.give(.resolved(.named(3), [Bench.address(1), Bench.address(2)]))
    #expect(progress() == .connecting(address: 1, of: 2))
    bench.pass(seconds: 0.3)
    #expect(progress() == .connecting(address: 2, of: 2))
    let dial = bench.taken().dials[0]
    bench.give(.securing(dial))
    #expect(progress() == .securing)
    let opened = bench.open(Bench.lower)
    bench.give(.dialled(dial, opened))
    #expect(bench.mesh.reports.last?.progress == .greeting)
    bench.give(.received(bench.hello(Bench.lower), opened.connection))
    #expect(bench.mesh.reports.last?.progress == .connected)
    #expect(progress() == .resting)
  }

  @Test func `a connection clears its peer's failures only when it is 15 s old`() {
    let bench = Bench()
    bench.discover(Bench.lower)
    _ = bench.failedWaits(count: 3, within: 10)
    #expect(bench.mesh.reports.first?.failureCount == 4)
    let connection = bench.accept(Bench.lower)
    bench.keepAlive(connection, seconds: 14.9)
    #expect(bench.mesh.reports.first?.failureCount == 4)
    bench.keepAlive(connection, seconds: 0.2)
    #expect(bench.mesh.reports.first?.failureCount == 0)
  }

  @Test func `a connection lost before it is stable is a failure, a stable one is not`() {
    let bench = Bench()
    let young = bench.accept(Bench.lower)
    bench.keepAlive(young, seconds: 10)
    bench.give(.closed(young))
    #expect(bench.mesh.reports.first?.failureCount == 1)
    let old = bench.accept(Bench.lower, attempt: 2)
    bench.keepAlive(old, seconds: 16)
    bench.give(.closed(old))
    #expect(bench.mesh.reports.first?.failureCount == 0)
    _ = bench.taken()
    bench.pass(seconds: 0.03)
    #expect(bench.taken().dials.count == 1)
  }

  @Test func `a change of the network clears all back-offs and starts attempts afresh`() {
    let bench = Bench()
    let others = (1...5).map { Bench.id(0x10, $0) }
    for other in others { bench.discover(other, [Bench.address(UInt32(other.octets[31]))]) }
    _ = bench.failedWaits(count: 60, within: 60)
    bench.pass(seconds: 0.001)
    _ = bench.taken()
    bench.give(.networkChanged)
    #expect(bench.mesh.reports.allSatisfy { $0.failureCount == 0 })
    bench.pass(seconds: 0.05)
    #expect(bench.taken().dials.count == 5)
  }

  @Test func `a proof of life ends a wait but not the count, once a second at most`() {
    let bench = Bench()
    bench.discover(Bench.lower)
    _ = bench.failedWaits(count: 8, within: 200)
    let failures = bench.mesh.reports.first?.failureCount ?? 0
    #expect(failures >= 8)
    bench.give(.knocked(Bench.lower))
    bench.pass(seconds: 0.03)
    let dials = bench.taken().dials
    #expect(dials.count == 1)
    bench.give(.failed(dials[0]))
    #expect(bench.mesh.reports.first?.failureCount == failures + 1)
    for _ in 0..<100 { bench.give(.knocked(Bench.lower)) }
    bench.pass(seconds: 0.5)
    #expect(bench.taken().dials.isEmpty)
  }

  @Test func `lost members are knocked at twice a second, after a minute with every heartbeat`() {
    let bench = Bench()
    let connection = bench.accept(Bench.higher)
    bench.give(.closed(connection))
    _ = bench.taken()
    bench.pass(seconds: 20)
    #expect((38...41).contains(bench.taken().knocked.count))
    bench.pass(seconds: 41)
    _ = bench.taken()
    bench.pass(seconds: 20)
    #expect((9...11).contains(bench.taken().knocked.count))
    let again = bench.accept(Bench.higher, attempt: 2)
    _ = bench.taken()
    bench.keepAlive(again, seconds: 20)
    #expect(bench.taken().knocked.isEmpty)
  }

  @Test func `who waits answers a knock with a knock`() {
    let bench = Bench()
    let connection = bench.accept(Bench.higher)
    bench.give(.closed(connection))
    bench.pass(seconds: 1)
    _ = bench.taken()
    bench.give(.knocked(Bench.higher))
    #expect(bench.taken().knocked == [Bench.higher])
  }

  @Test func `a member that knocks gets a heartbeat on the connection it may not know any more`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    bench.pass(seconds: 0.2)
    _ = bench.taken()
    for _ in 0..<50 { bench.give(.knocked(Bench.lower)) }
    #expect(bench.taken().sent(on: connection).count == 1)
    #expect(bench.mesh.members.count == 1)
  }

  @Test func `who starts knocks at once at the members it remembers`() {
    let first = Bench()
    _ = first.accept(Bench.higher)
    let mesh = Mesh(
      MeshConfiguration(
        node: Bench.own, instance: 8, profile: NodeProfile(name: ""), memory: first.mesh.memory),
      random: SplitMix64(seed: 1))
    #expect(mesh.handle(.tick, nowNanoseconds: 5).knocked == [Bench.higher])
  }

  @Test func `a knock of a stranger means nothing`() {
    let bench = Bench()
    bench.give(.knocked(Bench.lower))
    bench.pass(seconds: 3)
    #expect(bench.taken().isEmpty)
    #expect(bench.mesh.reports.isEmpty)
  }
}
