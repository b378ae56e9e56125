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

  @Test func `a static stranger is called again at once as our network changes`() {
    let events: [MeshEvent] = [.networkChanged]
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
}
