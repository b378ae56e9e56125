import Cryptography
import Mesh
import TestKit
import Testing

/// Two nodes of one identity, as of a copied SD card: both are told (MESSAGES.md, “Twins”).
@Suite struct TwinTests {
  private func twins(_ actions: [MeshAction]) -> [MeshAction] {
    actions.filter { if case .twin = $0 { true } else { false } }
  }

  @Test func `an earlier start is declined with the later one's number, in words that fit`() throws
  {
    let bench = Bench()
    _ = bench.accept(Bench.lower, instance: 5)
    _ = bench.taken()
    let ghost = bench.accept(Bench.lower, instance: 4, attempt: 99)
    let sent = bench.taken().sent(on: ghost)
    guard case .decline(let decline)? = sent.last else {
      Issue.record("no decline")
      return
    }
    #expect(decline.latestInstance == 5)
    let read = try Message(parsing: Array(Message.decline(decline).frame().dropFirst(4)))
    #expect(read == .decline(decline), "cut: \(read)")
  }

  @Test func `the later start is told of the earlier one, once a minute at most`() {
    let bench = Bench()
    let living = bench.accept(Bench.lower, instance: 5)
    _ = bench.taken()
    for attempt in 0..<10 {
      _ = bench.accept(Bench.lower, instance: 4, attempt: UInt64(attempt))
      bench.keepAlive(living, seconds: 2)
    }
    let told = bench.taken().sent(on: living).filter { $0 == .twin(Twin(instance: 4)) }
    #expect(told.count == 1)
  }

  @Test func `who is declined for a later start, or told of an earlier one, knows of a twin`() {
    let bench = Bench()
    bench.discover(Bench.lower)
    bench.pass(seconds: 0.03)
    let opened = bench.open(Bench.lower)
    bench.give(.dialled(bench.taken().dials[0], opened))
    bench.give(
      .received(.decline(Decline(words: "twice", latestInstance: 9)), opened.connection))
    #expect(twins(bench.taken()) == [.twin(instance: 9, toldBy: Bench.lower, at: nil)])
    let member = bench.accept(Bench.higher)
    bench.give(.received(.twin(Twin(instance: 6)), member))
    #expect(twins(bench.taken()) == [.twin(instance: 6, toldBy: Bench.higher, at: nil)])
  }

  @Test func `a stranger that calls, or one who names this start or an earlier, tells of no twin`()
  {
    let bench = Bench()
    let stranger = bench.open(Bench.lower, group: false)
    bench.give(.accepted(stranger))
    bench.give(.received(.decline(Decline(words: "x", latestInstance: 9)), stranger.connection))
    bench.give(.received(.twin(Twin(instance: 6)), stranger.connection))
    let member = bench.accept(Bench.higher)
    bench.give(.received(.twin(Twin(instance: 7)), member))
    bench.give(.received(.decline(Decline(words: "x", latestInstance: 7)), member))
    #expect(twins(bench.taken()).isEmpty)
  }

  @Test func `who answers with our identity at an address is a twin by its start, or ourselves`() {
    for instance: UInt64? in [6, 8, 7, nil] {
      let bench = Bench()
      bench.give(.named(0, [Bench.address(1)]))
      bench.pass(seconds: 0.03)
      let opened = bench.open(Bench.own)
      bench.give(.dialled(bench.taken().dials[0], opened))
      if let instance {
        let hello = bench.hello(Bench.own, instance: instance)
        bench.give(.received(hello, opened.connection))
      } else {
        bench.give(.closed(opened.connection))
      }
      let actions = bench.taken()
      let isTwin = instance == 6 || instance == 8
      #expect(
        twins(actions)
          == (isTwin
            ? [.twin(instance: instance ?? 0, toldBy: Bench.own, at: Bench.address(1))] : []))
      #expect(actions.contains(.ourselves(Bench.address(1))) == !isTwin)
      #expect((actions.closed(opened.connection) == .ourselves) == (instance != nil))
    }
  }

  @Test func `who is called by its own identity says which start it is`() {
    let bench = Bench()
    let opened = bench.open(Bench.own)
    bench.give(.accepted(opened))
    let actions = bench.taken()
    guard case .hello(let hello)? = actions.sent(on: opened.connection).first else {
      Issue.record("no hello")
      return
    }
    #expect(hello.instance == 7 && actions.closed(opened.connection) == .ourselves)
  }
}
