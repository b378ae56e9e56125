import Cryptography
import Mesh
import TestKit
import Testing

/// Who was declined, expelled or blocked, and when it is tried again.
@Suite struct SecondChanceTests {
  /// Answers the dial under way as somebody who is not let in.
  private func answer(_ bench: Bench, as node: NodeID) {
    let opened = bench.open(node, group: false)
    for dial in bench.taken().dials.prefix(1) { bench.give(.dialled(dial, opened)) }
    bench.give(.received(bench.hello(node, admits: false), opened.connection))
  }

  private func staticStranger() -> Bench {
    let bench = Bench()
    bench.give(.named(0, [Bench.address(1)]))
    bench.pass(seconds: 0.03)
    answer(bench, as: Bench.lower)
    return bench
  }

  private func strangers(_ actions: [MeshAction]) -> [NodeID] {
    actions.compactMap { if case .stranger(let node, _) = $0 { node } else { nil } }
  }

  @Test func `a static address where a stranger answered is called again every 30 s`() {
    let bench = staticStranger()
    #expect(strangers(bench.taken()) == [Bench.lower])
    for round in 0..<12 {
      bench.pass(seconds: 29.9)
      #expect(bench.taken().dials.isEmpty, "\(round)")
      bench.pass(seconds: 0.1)
      #expect(bench.actions.dialledAddresses == [Bench.address(1)], "\(round)")
      answer(bench, as: Bench.lower)
      #expect(strangers(bench.taken()).isEmpty, "told once")
    }
    bench.pass(seconds: 30)
    let opened = bench.open(Bench.higher)
    bench.give(.dialled(bench.taken().dials[0], opened))
    bench.give(.received(bench.hello(Bench.higher), opened.connection))
    #expect(bench.taken().admitted == [Bench.higher], "another node may answer there")
    #expect(bench.mesh.reports.map(\.target) == [.named(0), .node(Bench.higher)])
  }

  @Test func `a static stranger is called again at once as our network, policy or groups change`() {
    let events: [MeshEvent] = [.networkChanged, .policy(.open), .groupsChanged([])]
    for event in events {
      let bench = staticStranger()
      _ = bench.taken()
      bench.give(event)
      bench.pass(seconds: 0.1)
      #expect(bench.taken().dials.count == 1, "\(event)")
    }
  }

  @Test func `who declined our invitation is called again where the user named it, but not asked`()
  {
    let bench = staticStranger()
    bench.give(.invite(Bench.lower))
    bench.pass(seconds: 0.1)
    answer(bench, as: Bench.lower)
    let asked = bench.taken()
    #expect(asked.contains { if case .send(.invite, _) = $0 { true } else { false } })
    for case .send(.invite, let connection) in asked {
      bench.give(.received(.decline(Decline(words: "no")), connection))
    }
    bench.pass(seconds: 30)
    #expect(bench.actions.dials.count == 1)
    answer(bench, as: Bench.lower)
    #expect(!bench.taken().contains { if case .send(.invite, _) = $0 { true } else { false } })
  }

  @Test(arguments: [true, false])
  func `who declined our invitation is called after 30 s, or as our network changes`(
    changes: Bool
  ) {
    let bench = Bench()
    bench.discover(Bench.lower, shares: false)
    bench.give(.invite(Bench.lower))
    bench.pass(seconds: 0.1)
    let opened = bench.open(Bench.lower, group: false)
    bench.give(.dialled(bench.taken().dials[0], opened))
    bench.give(.received(.decline(Decline(words: "no")), opened.connection))
    bench.pass(seconds: 5)
    #expect(bench.taken().dials.isEmpty)
    if changes { bench.give(.networkChanged) }
    bench.pass(seconds: changes ? 0.1 : 25)
    #expect(bench.taken().dials.count == 1)
  }

  @Test func `a later run of a node that expelled us is called as if nothing had been`() {
    let bench = Bench()
    let connection = bench.accept(Bench.lower)
    bench.give(.received(.decline(Decline(words: "no")), connection))
    bench.pass(seconds: 20)
    #expect(bench.taken().dials.isEmpty)
    bench.give(.closed(bench.accept(Bench.lower, instance: 2, admits: false)))
    bench.pass(seconds: 0.1)
    #expect(bench.taken().dials.count == 1)
  }

  @Test func `members that hold none of our groups any more are out, others stay`() {
    let bench = Bench()
    bench.share()
    let (gone, stays) = (bench.accept(Bench.lower), bench.accept(Bench.higher))
    bench.give(.accept(Bench.id(0x11)))
    let trusted = bench.accept(Bench.id(0x11))
    _ = bench.taken()
    bench.give(.groupsChanged([stays]))
    let actions = bench.taken()
    #expect(actions.closed(gone) == .notAdmitted && actions.departed == [.expelled])
    #expect(actions.closed(stays) == nil && actions.closed(trusted) == nil)
    #expect(bench.mesh.members.map(\.isInGroup) == [true, false])
    #expect(actions.contains { if case .changed = $0 { true } else { false } })
    bench.pass(seconds: 1)
    #expect(bench.taken().contains(.rollKeys([0])))
  }

  @Test func `who asks and then proves the group is let in, and so is whom a laxer policy takes`() {
    for isByGroup in [true, false] {
      let bench = Bench()
      let waiting = bench.accept(Bench.lower, group: false)
      bench.give(.received(.invite, waiting))
      #expect(bench.taken().admitted.isEmpty)
      bench.give(isByGroup ? .groupsChanged([waiting]) : .policy(.open))
      let actions = bench.taken()
      #expect(actions.admitted == [Bench.lower])
      #expect(actions.contains(.send(.accept, waiting)))
      bench.keepAlive(waiting, seconds: 31)
      #expect(bench.mesh.members.map(\.node) == [Bench.lower], "not declined any more")
    }
  }

  @Test func `a stricter policy expels who was let in by a laxer one, and declines who asks`() {
    let bench = Bench(policy: .open)
    let stranger = bench.accept(Bench.lower, group: false)
    let kin = bench.accept(Bench.higher)
    bench.give(.policy(.ask))
    let actions = bench.taken()
    #expect(actions.closed(stranger) == .notAdmitted && actions.departed == [.expelled])
    #expect(actions.closed(kin) == nil)
    let asking = bench.accept(Bench.id(0x11), group: false)
    bench.give(.received(.invite, asking))
    bench.give(.policy(.groupOnly))
    let stricter = bench.taken()
    #expect(stricter.closed(asking) == .notAdmitted)
    #expect(stricter.contains(.invitationEnded(Bench.id(0x11))))
    #expect(bench.mesh.members.map(\.node) == [Bench.higher])
  }

  @Test func `two nodes alone are together again after a block is taken back`() {
    let network = MeshNetwork(nodeCount: 2, seed: 1)
    network.startAll()
    #expect(network.becomeWhole(withinSeconds: 10) != nil)
    for (one, other) in [(0, 1), (1, 0)] {
      network.give(.block(network.nodes[other].id), to: one)
      network.run(seconds: 20)
      #expect(network.nodes.allSatisfy { $0.members.isEmpty })
      network.give(.forget(network.nodes[other].id), to: one)
      #expect(network.becomeWhole(withinSeconds: 3) != nil)
    }
  }

  @Test func `whoever is blocked again before it could be called is not lost`() {
    let network = MeshNetwork(nodeCount: 2, seed: 1)
    network.startAll()
    #expect(network.becomeWhole(withinSeconds: 10) != nil)
    for (one, other) in [(0, 1), (1, 0)] {
      for _ in 0..<3 {
        network.give(.block(network.nodes[other].id), to: one)
        network.give(.forget(network.nodes[other].id), to: one)
      }
      network.run(seconds: 1)
      #expect(network.becomeWhole(withinSeconds: 3) != nil)
    }
  }

  @Test func `a blocked node that was announced meanwhile is called once it is blocked no more`() {
    let bench = Bench(memory: MeshMemory(blocked: [Bench.lower]))
    bench.discover(Bench.lower)
    bench.pass(seconds: 5)
    #expect(bench.taken().dials.isEmpty)
    bench.give(.forget(Bench.lower))
    bench.pass(seconds: 0.1)
    #expect(bench.taken().dialledAddresses == [Bench.address(1)])
  }

  @Test func `who declined and is announced again is called once a minute at most`() {
    let bench = Bench()
    bench.discover(Bench.lower)
    bench.give(
      .received(.decline(Decline(words: "no")), bench.accept(Bench.lower)))
    _ = bench.taken()
    var dials = 0
    for _ in 0..<300 {
      bench.discover(Bench.lower)
      bench.pass(seconds: 1)
      for dial in bench.taken().dials.prefix(1) {
        dials += 1
        let opened = bench.open(Bench.lower)
        bench.give(.dialled(dial, opened))
        bench.give(.received(.decline(Decline(words: "no")), opened.connection))
      }
    }
    #expect((4...5).contains(dials), "\(dials)")
  }
}
