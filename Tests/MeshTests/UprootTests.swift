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
}
