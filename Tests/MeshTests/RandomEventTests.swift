import Cryptography
import Mesh
import TestKit
import Testing

/// Whatever happens in whatever order, the machine keeps its promises.
@Suite struct RandomEventTests {
  /// Checks what is wanted against what was promised.
  private struct Watch {
    var open: [ConnectionID: NodeID] = [:]
    var members: Set<NodeID> = []
    var blocked: Set<NodeID> = []
    var flying: [AttemptID] = []
    var problem: String?

    mutating func see(_ actions: [MeshAction]) {
      for action in actions {
        switch action {
        case .send(let message, let connection):
          guard let node = open[connection] else { problem = "sends on a closed one"; continue }
          if case .mediaKey = message, !members.contains(node) { problem = "key to a stranger" }
        case .close(let connection, _):
          if open.removeValue(forKey: connection) == nil { problem = "closes twice" }
        case .dial(let attempt, _): flying.append(attempt)
        case .abandon(let attempt): flying.removeAll { $0 == attempt }
        case .admitted(let member):
          if !members.insert(member.node).inserted { problem = "admits twice" }
          if blocked.contains(member.node) { problem = "admits a blocked node" }
          if member.node == Bench.own { problem = "admits itself" }
        case .departed(let node, _):
          if members.remove(node) == nil { problem = "departs twice" }
        default: break
        }
      }
    }
  }

  private static let nodes = [Bench.own] + (1...12).map { Bench.id(UInt8($0) &* 20) }

  private func message(
    _ node: NodeID, _ bench: Bench, _ random: inout SplitMix64
  ) -> Message {
    let other = Self.nodes.randomElement(using: &random) ?? node
    let instance = UInt64.random(in: 1...3, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0...4:
      return bench.hello(
        random.chance(0.95) ? node : other, instance: instance,
        attempt: UInt64.random(in: 0...9, using: &random), admits: random.chance(0.7))
    case 5: return .invite
    case 6: return .accept
    case 7: return random.chance(0.3) ? .decline(Decline(words: "")) : .unknown(type: 99)
    case 8: return .goodbye(Goodbye(node: other, instance: instance))
    case 9:
      guard random.chance(0.7) else { return .streamEnd(StreamEnd(stream: 3)) }
      return .mediaKey(MediaKey(stream: 0, ssrc: 1, epoch: 1, octets: [1]))
    default:
      let notices = (0..<Int.random(in: 0...5, using: &random)).map { _ in
        NodeRecord(
          node: Self.nodes.randomElement(using: &random) ?? node, instance: instance,
          addresses: [Bench.address(UInt32.random(in: 0...20, using: &random))])
      }
      return .heartbeat(Heartbeat(memberCount: 3, members: notices, asks: random.chance(0.5)))
    }
  }

  private func event(
    _ bench: Bench, _ watch: inout Watch, _ random: inout SplitMix64
  ) -> MeshEvent {
    let node = Self.nodes.randomElement(using: &random) ?? Bench.lower
    let address = Bench.address(UInt32.random(in: 0...20, using: &random))
    let known = watch.open.keys.sorted { $0.rawValue < $1.rawValue }
    let connection = known.randomElement(using: &random) ?? ConnectionID(rawValue: 1)
    let opened = bench.open(node, group: random.chance(0.6))
    switch Int.random(in: 0..<40, using: &random) {
    case 0...1:
      return .discovered(
        Announcement(node: node, addresses: [address], sharesGroup: random.chance(0.7)))
    case 2: return .lost(node)
    case 3: return .named(Int.random(in: 0...3, using: &random), [address])
    case 4: return .unnamed(Int.random(in: 0...3, using: &random))
    case 5: return .resolved(random.chance(0.5) ? .node(node) : .named(1), [address])
    case 6:
      guard random.chance(0.5) else { return .knocked(node) }
      return .sounded(node, atNanoseconds: bench.now - .seconds(random.unit() * 8))
    case 7: return random.chance(0.2) ? .networkChanged : .lost(node)
    case 8...11:
      watch.open[opened.connection] = opened.node
      return .accepted(opened)
    case 12...16:
      guard let attempt = watch.flying.popLast() else { return .tick }
      guard random.chance(0.7) else { return .failed(attempt) }
      watch.open[opened.connection] = opened.node
      return .dialled(attempt, opened)
    case 17: return watch.flying.last.map { .securing($0) } ?? .tick
    case 18:
      // What is uprooted, the machine has to close.
      guard random.chance(0.5) else { return .uprooted(connection) }
      watch.open[connection] = nil
      return .closed(connection)
    case 19: return .accept(node)
    case 20: return .decline(node)
    case 21: return .invite(node)
    case 22: return streamCommand(node, &random)
    case 23:
      guard random.chance(0.3), node != Bench.own else { return .tick }
      watch.blocked.insert(node)
      return .block(node)
    case 24:
      watch.blocked.remove(node)
      return .forget(node)
    case 25:
      guard random.chance(0.5) else {
        return .policy(AdmissionPolicy.allCases.randomElement(using: &random) ?? .ask)
      }
      return .groupsChanged(Set(known.filter { _ in random.chance(0.7) }))
    default: return .received(message(watch.open[connection] ?? node, bench, &random), connection)
    }
  }

  private func streamCommand(_ node: NodeID, _ random: inout SplitMix64) -> MeshEvent {
    let stream = Int.random(in: 0...9, using: &random)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return .endStream(stream)
    case 1: return .retireKeys(stream: stream, beforeEpoch: 3)
    default:
      let epoch = UInt64.random(in: 1...4, using: &random)
      return .share(
        MediaKey(stream: stream, ssrc: UInt32(stream), epoch: epoch, octets: [2]),
        with: random.chance(0.5) ? .everyone : .nodes([node]))
    }
  }

  private func opened(by event: MeshEvent) -> OpenedConnection? {
    switch event {
    case .accepted(let opened), .dialled(_, let opened): opened
    default: nil
    }
  }

  @Test func `no order of events breaks a promise`() {
    var admissions = 0
    let seeds = Seeds.first(100)
    for seed in seeds {
      var random = SplitMix64(seed: seed)
      let policy = AdmissionPolicy.allCases.randomElement(using: &random) ?? .ask
      let bench = Bench(policy: policy, seed: seed)
      var watch = Watch()
      for number in 0..<150 {
        let before = watch.blocked
        let next = event(bench, &watch, &random)
        // Who is let in by the user, or invited, is blocked no more.
        if case .accept(let node) = next { watch.blocked.remove(node) }
        if case .invite(let node) = next { watch.blocked.remove(node) }
        bench.give(next)
        if let opened = opened(by: next), random.chance(0.8) {
          let hello = bench.hello(
            opened.node, instance: .random(in: 1...3, using: &random),
            attempt: .random(in: 0...9, using: &random), relocates: random.chance(0.1))
          bench.give(.received(hello, opened.connection))
        }
        let actions = bench.taken()
        admissions += actions.admitted.count
        watch.see(actions)
        let ticks = bench.passCounting(seconds: random.unit() * (random.chance(0.1) ? 40 : 0.5))
        watch.see(bench.taken())
        if ticks > 2000 { watch.problem = "\(ticks) ticks" }
        if Set(bench.mesh.members.map(\.node)) != watch.members { watch.problem = "members" }
        if bench.mesh.reports.count > 20 { watch.problem = "\(bench.mesh.reports.count) peers" }
        if let problem = watch.problem {
          Issue.record("seed \(seed), event \(number) \(next), blocked \(before): \(problem)")
          break
        }
      }
      bench.give(.leave)
      watch.see(bench.taken())
      if watch.problem != nil || !watch.members.isEmpty || !watch.open.isEmpty {
        Issue.record("seed \(seed): after leaving \(watch.problem ?? "something is left")")
      }
    }
    #expect(admissions > 6 * seeds.count, "\(admissions) admissions: the events do too little")
  }
}
