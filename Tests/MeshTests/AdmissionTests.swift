import Cryptography
import Mesh
import TestKit
import Testing

/// Who is let in.
@Suite struct AdmissionTests {
  /// A stranger that connects and asks.
  private func ask(_ bench: Bench, _ node: NodeID, attempt: UInt64 = 1) -> ConnectionID {
    let connection = bench.accept(node, attempt: attempt, group: false)
    bench.give(.received(.invite, connection))
    return connection
  }

  private func isDeclined(_ actions: [MeshAction], on connection: ConnectionID) -> Bool {
    actions.sent(on: connection).contains { if case .decline = $0 { true } else { false } }
      && actions.closed(connection) == .notAdmitted
  }

  @Test func `a stranger's invitation is shown, and makes a member when accepted`() {
    let bench = Bench()
    let connection = ask(bench, Bench.lower)
    var actions = bench.taken()
    #expect(actions.invited == [Bench.lower] && actions.admitted.isEmpty)
    bench.pass(seconds: 29)
    bench.give(.accept(Bench.lower))
    actions = bench.taken()
    #expect(actions.sent(on: connection).contains(.accept))
    #expect(actions.admitted == [Bench.lower])
    #expect(actions.contains(.store) && actions.contains(.invitationEnded(Bench.lower)))
    #expect(bench.mesh.memory.trusted == [Bench.lower])
    let next = Bench(memory: bench.mesh.memory)
    _ = next.accept(Bench.lower, group: false)
    #expect(next.taken().admitted == [Bench.lower], "trusted after a restart")
  }

  @Test func `who asks sees that the answer is awaited, until 35 s after the attempt began`() {
    let bench = Bench()
    bench.discover(Bench.lower, shares: false)
    bench.give(.invite(Bench.lower))
    bench.pass(seconds: 0.01)
    let opened = bench.open(Bench.lower, group: false)
    bench.give(.dialled(bench.taken().dials[0], opened))
    bench.pass(seconds: 4)
    bench.give(.received(bench.hello(Bench.lower, admits: false), opened.connection))
    #expect(bench.taken().sent(on: opened.connection).last == .invite)
    #expect(bench.mesh.reports.first?.progress == .asking)
    bench.pass(seconds: 30.9)
    #expect(bench.mesh.reports.first?.progress == .asking)
    bench.pass(seconds: 0.2)
    #expect(bench.taken().closed(opened.connection) == .late)
    #expect(bench.mesh.reports.first?.failureCount == 1)
  }

  @Test func `a later run of a stranger that was declined may ask again`() {
    let bench = Bench()
    _ = ask(bench, Bench.lower)
    bench.give(.decline(Bench.lower))
    _ = bench.taken()
    let same = ask(bench, Bench.lower, attempt: 2)
    #expect(isDeclined(bench.taken(), on: same))
    let later = bench.accept(Bench.lower, instance: 2, group: false)
    bench.give(.received(.invite, later))
    #expect(bench.taken().invited == [Bench.lower])
  }

  @Test func `an invitation is declined after 30 s without an answer`() {
    let bench = Bench()
    let connection = ask(bench, Bench.lower)
    bench.pass(seconds: 29.9)
    #expect(!isDeclined(bench.taken(), on: connection))
    bench.pass(seconds: 0.2)
    #expect(isDeclined(bench.taken(), on: connection))
    let again = ask(bench, Bench.lower, attempt: 2)
    let actions = bench.taken()
    #expect(actions.invited.isEmpty && isDeclined(actions, on: again), "not shown again at once")
    bench.pass(seconds: 61)
    _ = ask(bench, Bench.lower, attempt: 3)
    #expect(bench.taken().invited == [Bench.lower])
  }

  @Test func `the user's no is said at once`() {
    let bench = Bench()
    let connection = ask(bench, Bench.lower)
    bench.give(.decline(Bench.lower))
    let actions = bench.taken()
    #expect(isDeclined(actions, on: connection) && actions.admitted.isEmpty)
  }

  @Test func `with the policy group-only strangers are declined, with open they are members`() {
    let strict = Bench(policy: .groupOnly)
    let connection = ask(strict, Bench.lower)
    let actions = strict.taken()
    #expect(actions.invited.isEmpty && isDeclined(actions, on: connection))
    let open = Bench(policy: .open)
    _ = open.accept(Bench.lower, group: false)
    #expect(open.taken().admitted == [Bench.lower])
    open.discover(Bench.id(0x11), shares: false)
    open.pass(seconds: 0.03)
    #expect(open.taken().dials.count == 1)
  }

  @Test func `strangers that discovery sees are not dialled, and not let in`() {
    let bench = Bench()
    bench.discover(Bench.lower, shares: false)
    bench.pass(seconds: 10)
    #expect(bench.taken().dials.isEmpty)
    let connection = bench.accept(Bench.lower, group: false, admits: false)
    let actions = bench.taken()
    #expect(actions.closed(connection) == .notAdmitted && actions.admitted.isEmpty)
  }

  @Test func `who answers at a static peer's address is no member for that`() {
    let bench = Bench()
    bench.give(.named(0, [Bench.address(1)]))
    bench.pass(seconds: 0.03)
    let opened = bench.open(Bench.lower, group: false)
    bench.give(.dialled(bench.taken().dials[0], opened))
    bench.give(.received(bench.hello(Bench.lower, admits: false), opened.connection))
    let actions = bench.taken()
    #expect(actions.admitted.isEmpty && actions.closed(opened.connection) == .notAdmitted)
    #expect(actions.contains { if case .stranger(Bench.lower, _) = $0 { true } else { false } })
  }

  @Test func `two strangers become members when one asks and the other accepts`() {
    let network = MeshNetwork(nodeCount: 2, seed: 1)
    network.nodes[1].group = 1
    var invited: [Int] = []
    network.observer = { if case .invited = $1 { invited.append($0) } }
    network.startAll()
    network.run(seconds: 5)
    network.give(.invite(network.nodes[1].id), to: 0)
    network.run(seconds: 5)
    #expect(invited == [1])
    network.give(.accept(network.nodes[0].id), to: 1)
    network.run(seconds: 0.5)
    #expect(network.nodes.allSatisfy { $0.members.count == 1 })
    network.kill(0)
    network.run(seconds: 10)
    network.start(0)
    network.run(seconds: 2)
    #expect(network.nodes.allSatisfy { $0.members.count == 1 }, "both remember")
  }

  @Test func `a stranger whose invitation is declined does not ask again by itself`() {
    let network = MeshNetwork(nodeCount: 2, seed: 1)
    network.nodes[1].group = 1
    var invitations = 0
    var declines = 0
    network.observer = {
      if case .invited = $1 { invitations += 1 }
      if case .declined = $1 { declines += 1 }
    }
    network.startAll()
    network.run(seconds: 1)
    network.give(.invite(network.nodes[1].id), to: 0)
    network.run(seconds: 600)
    #expect(invitations == 1 && declines == 1)
    #expect(network.nodes.allSatisfy { $0.members.isEmpty })
  }

  @Test func `who is blocked is out at once, and stays out, group or not, restart or not`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    bench.give(.accept(Bench.lower))
    _ = bench.taken()
    bench.give(.block(Bench.lower))
    let actions = bench.taken()
    #expect(actions.closed(connection) == .blocked && actions.departed == [.expelled])
    #expect(actions.contains(.store))
    for yesterday in [bench, Bench(policy: .open, memory: bench.mesh.memory)] {
      yesterday.discover(Bench.lower)
      yesterday.give(.knocked(Bench.lower))
      yesterday.pass(seconds: 3)
      let back = yesterday.open(Bench.lower)
      yesterday.give(.accepted(back))
      yesterday.give(.received(yesterday.hello(Bench.lower, instance: 9), back.connection))
      yesterday.give(.received(.invite, back.connection))
      let refused = yesterday.taken()
      #expect(refused.closed(back.connection) == .blocked)
      #expect(refused.dials.isEmpty && refused.admitted.isEmpty && refused.invited.isEmpty)
      #expect(yesterday.mesh.counters.blocked > 0)
    }
    bench.give(.forget(Bench.lower))
    _ = bench.accept(Bench.lower, instance: 9)
    #expect(bench.taken().admitted == [Bench.lower])
  }

  @Test func `a node that is told it is not admitted does not try for ever`() {
    let network = MeshNetwork(nodeCount: 3, seed: 2)
    network.startAll()
    #expect(network.becomeWhole(withinSeconds: 10) != nil)
    network.give(.block(network.nodes[1].id), to: 0)
    network.run(seconds: 1)
    var dials = 0
    network.observer = { if case .dial = $1 { dials += 1 } }
    network.run(seconds: 300)
    #expect(dials == 0)
    #expect(network.nodes.map(\.members.count) == [1, 1, 2])
  }

  @Test func `forgetting a trusted member ends its membership, but not a group's`() {
    let bench = Bench()
    bench.share()
    let group = bench.accept(Bench.lower)
    bench.give(.accept(Bench.higher))
    let paired = bench.accept(Bench.higher, group: false)
    #expect(bench.taken().admitted == [Bench.lower, Bench.higher])
    bench.give(.forget(Bench.lower))
    bench.give(.forget(Bench.higher))
    let actions = bench.taken()
    #expect(actions.closed(paired) == .forgotten && actions.closed(group) == nil)
    #expect(bench.mesh.memory.trusted.isEmpty)
    #expect(bench.mesh.members.map(\.node) == [Bench.lower])
    bench.pass(seconds: 1)
    #expect(bench.taken().contains(.rollKeys([0])), "who was forgotten has our key")
  }

  @Test func `eight strangers are shown in 30 s, no more, whether they wait or come and go`() {
    for stays in [true, false] {
      let bench = Bench()
      for number in 0..<15 {
        let connection = ask(bench, Bench.id(0x30, UInt16(number)))
        if !stays { bench.give(.closed(connection)) }
      }
      #expect(bench.taken().invited.count == MeshLimits.invitations, "\(stays)")
      bench.pass(seconds: 31)
      _ = ask(bench, Bench.id(0x31))
      #expect(bench.taken().invited == [Bench.id(0x31)])
    }
  }

  @Test func `a stranger that declined is called again when it shares a group`() {
    let bench = Bench()
    bench.discover(Bench.lower, shares: false)
    _ = bench.accept(Bench.lower, group: false, admits: false)
    bench.discover(Bench.lower, shares: false)
    bench.pass(seconds: 10)
    #expect(bench.taken().dials.isEmpty)
    bench.discover(Bench.lower, shares: true)
    bench.pass(seconds: 0.03)
    #expect(bench.taken().dials.count == 1)
  }

  @Test func `keys are rolled once within a second of departures, and not without one`() {
    let bench = Bench()
    bench.share()
    let connections = (0..<5).map { bench.accept(Bench.id(0x11, $0)) }
    bench.pass(seconds: 2)
    #expect(!bench.taken().contains(.rollKeys([0])))
    bench.give(.block(Bench.id(0x11, 0)))
    bench.give(.closed(connections[1]))
    bench.give(
      .received(.goodbye(Goodbye(node: Bench.id(0x11, 2), instance: 1)), connections[2]))
    bench.pass(seconds: 1)
    #expect(bench.taken().count { $0 == .rollKeys([0]) } == 1)
    bench.pass(seconds: 2.95)
    let silent = bench.taken()
    #expect(silent.departed == [.silent, .silent])
    bench.pass(seconds: 1)
    #expect((silent + bench.taken()).count { $0 == .rollKeys([0]) } == 1)
  }

  @Test func `the key is rolled when a member comes back without the group`() {
    let bench = Bench()
    bench.share()
    let old = bench.accept(Bench.lower, instance: 3)
    _ = bench.taken()
    let new = bench.accept(Bench.lower, instance: 4, group: false, admits: false)
    let actions = bench.taken()
    #expect(actions.closed(old) == .replaced && actions.closed(new) == .notAdmitted)
    #expect(actions.departed == [.restarted])
    bench.pass(seconds: 1)
    #expect(bench.taken().contains(.rollKeys([0])), "its former run has our key")
  }
}
