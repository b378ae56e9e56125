import Mesh
import TestKit
import Testing

/// Connections whose own address is gone.
@Suite struct UprootTests {
  @Test func `who loses its address has another connection at once, and nobody departs`() {
    for other in [Bench.lower, Bench.higher] {
      let bench = Bench()
      let first = bench.accept(other)
      _ = bench.taken()
      bench.give(.uprooted(first))
      bench.give(.tick)
      let actions = bench.taken()
      #expect(actions.closed(first) == .uprooted && actions.departed.isEmpty)
      guard let dial = actions.dials.first else {
        Issue.record("no dial")
        continue
      }
      let second = bench.open(other)
      bench.give(.dialled(dial, second))
      bench.give(.received(bench.hello(other), second.connection))
      let later = bench.taken()
      guard case .hello(let hello)? = later.sent(on: second.connection).first else {
        Issue.record("no hello")
        continue
      }
      #expect(hello.relocates)
      #expect(later.departed.isEmpty && later.admitted.isEmpty && later.closed.isEmpty)
      bench.keepAlive(second.connection, seconds: 10)
      #expect(bench.taken().departed.isEmpty)
    }
  }

  @Test func `whoever dialled before, the connection of one that moved takes its place`() {
    for other in [Bench.lower, Bench.higher] {
      let bench = Bench()
      bench.discover(other)
      bench.pass(seconds: 4)
      let dial = bench.taken().dials[0]
      let ours = bench.open(other)
      bench.give(.dialled(dial, ours))
      bench.give(.received(bench.hello(other), ours.connection))
      let theirs = bench.open(other)
      bench.give(.accepted(theirs))
      bench.give(.received(bench.hello(other, attempt: 1, relocates: true), theirs.connection))
      let actions = bench.taken()
      #expect(actions.closed(ours.connection) == .duplicate)
      #expect(actions.closed(theirs.connection) == nil && actions.departed.isEmpty)
    }
  }

  @Test func `a member without a connection is out when it is blocked or forgotten, too`() {
    for event in [MeshEvent.block(Bench.lower), .forget(Bench.lower), .policy(.groupOnly)] {
      let bench = Bench()
      bench.give(.uprooted(bench.accept(Bench.lower)))
      _ = bench.taken()
      bench.give(event)
      #expect(bench.taken().departed.count == 1 && bench.mesh.members.isEmpty, "\(event)")
    }
  }

  @Test func `who lost its address and reaches nobody departs when it was silent for long`() {
    let bench = Bench()
    let connection = bench.accept(Bench.higher)
    bench.give(.uprooted(connection))
    _ = bench.failedWaits(count: 3, within: 3)
    #expect(bench.taken().departed.isEmpty && bench.mesh.members.count == 1)
    bench.pass(seconds: 6)
    #expect(bench.taken().departed == [.silent])
  }

  @Test func `a connection that stalled while this node was cut off gives way to another then`() {
    for (silentSeconds, isStalled) in [(2.5, false), (4, true), (5.89, true)] {
      let bench = Bench()
      let first = bench.accept(Bench.higher)
      bench.keepAlive(first, seconds: 20)
      // Nothing came in the last two of these.
      bench.pass(seconds: silentSeconds - 2)
      _ = bench.taken()
      bench.give(.networkChanged)
      bench.pass(seconds: 0.1)
      let actions = bench.taken()
      // The other end is not to take it for over before it has another.
      #expect(actions.closed(first) == nil && actions.departed.isEmpty)
      #expect(actions.dials.isEmpty != isStalled, "\(silentSeconds) s")
      guard isStalled else { continue }
      // Who is not there departs all the same.
      bench.pass(seconds: 2)
      let later = bench.taken()
      #expect(later.closed(first) == .uprooted && later.departed == [.silent])
    }
  }

  @Test func `the connection that takes a stalled one's place closes it, and nobody departs`() {
    let bench = Bench()
    let first = bench.accept(Bench.higher)
    bench.keepAlive(first, seconds: 20)
    bench.pass(seconds: 3)
    bench.give(.networkChanged)
    bench.pass(seconds: 0.1)
    guard let dial = bench.taken().dials.first else {
      Issue.record("no dial")
      return
    }
    let second = bench.open(Bench.higher)
    bench.give(.dialled(dial, second))
    bench.give(.received(bench.hello(Bench.higher), second.connection))
    // What TCP brings of the former at last is of no interest.
    bench.give(.received(.heartbeat(Heartbeat()), first))
    bench.give(.closed(first))
    let actions = bench.taken()
    #expect(actions.closed(first) == .uprooted && actions.closed(second.connection) == nil)
    bench.keepAlive(second.connection, seconds: 10)
    #expect(bench.taken().departed.isEmpty && bench.mesh.members.count == 1)
  }

  @Test func `a stalled connection is used again where something comes before another is there`() {
    let bench = Bench()
    let first = bench.accept(Bench.higher)
    bench.keepAlive(first, seconds: 20)
    bench.pass(seconds: 2)
    bench.give(.knocked(Bench.higher))
    _ = bench.taken()
    bench.keepAlive(first, seconds: 10)
    let actions = bench.taken()
    #expect(actions.closed(first) == nil && actions.departed.isEmpty)
    #expect(bench.mesh.members.count == 1 && !actions.sent(on: first).isEmpty)
  }

  @Test func `whose silence was forgiven once departs, however often the network changes`() {
    let bench = Bench()
    let first = bench.accept(Bench.higher)
    bench.keepAlive(first, seconds: 20)
    // Nothing came in the last two of these.
    for _ in 0..<10 {
      bench.pass(seconds: 0.5)
      bench.give(.networkChanged)
    }
    #expect(bench.taken().departed == [.silent])
  }

  @Test func `a node that leaves says so on a connection that was given up, too`() {
    let bench = Bench()
    let first = bench.accept(Bench.higher)
    bench.keepAlive(first, seconds: 20)
    bench.pass(seconds: 2)
    bench.give(.knocked(Bench.higher))
    bench.give(.leave)
    let sent = bench.taken().sent(on: first)
    #expect(sent.contains { if case .goodbye = $0 { true } else { false } })
  }

  @Test func `a knock of a member of which nothing came has it dialled, and keeps nobody alive`() {
    let bench = Bench()
    let first = bench.accept(Bench.higher)
    bench.keepAlive(first, seconds: 20)
    bench.give(.knocked(Bench.higher))
    #expect(bench.taken().closed(first) == nil)
    bench.pass(seconds: 2)
    _ = bench.taken()
    bench.give(.knocked(Bench.higher))
    bench.pass(seconds: 0.1)
    let actions = bench.taken()
    #expect(actions.closed(first) == nil && !actions.dials.isEmpty)
    for _ in 0..<10 {
      bench.pass(seconds: 0.2)
      bench.give(.knocked(Bench.higher))
    }
    #expect(bench.taken().departed == [.silent])
  }

  @Test func `who comes back knocks at once at those it lost`() {
    let bench = Bench()
    let first = bench.accept(Bench.higher)
    bench.keepAlive(first, seconds: 20)
    bench.pass(seconds: 6.1)
    #expect(bench.taken().departed == [.silent])
    bench.give(.networkChanged)
    bench.pass(seconds: 0.001)
    let knocks = bench.taken().filter { if case .knock = $0 { true } else { false } }
    #expect(knocks.count == 1)
  }

  @Test func `of two connections that both ends made anew at once the same stays for both`() {
    for (other, isOursKept) in [(Bench.lower, true), (Bench.higher, false)] {
      for isOursFirst in [true, false] {
        let bench = Bench()
        let first = bench.accept(other)
        _ = bench.taken()
        bench.give(.uprooted(first))
        bench.give(.tick)
        guard let dial = bench.taken().dials.first else {
          Issue.record("no dial")
          continue
        }
        let (ours, theirs) = (bench.open(other), bench.open(other))
        bench.give(.dialled(dial, ours))
        bench.give(.accepted(theirs))
        let hellos = [
          (bench.hello(other), ours), (bench.hello(other, attempt: 1, relocates: true), theirs),
        ]
        for (hello, opened) in isOursFirst ? hellos : hellos.reversed() {
          bench.give(.received(hello, opened.connection))
        }
        let actions = bench.taken()
        #expect(actions.closed(ours.connection) == (isOursKept ? nil : .duplicate))
        #expect(actions.closed(theirs.connection) == (isOursKept ? .duplicate : nil))
        #expect(actions.departed.isEmpty && bench.mesh.members.count == 1)
      }
    }
  }
}
