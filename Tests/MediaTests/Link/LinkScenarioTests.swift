import TestKit
import Testing

@Suite struct LinkScenarioTests {
  private static func scenario(_ line: String) throws -> LinkScenario {
    try LinkScenario(arguments: line.split(separator: " ").map(String.init))
  }

  @Test func `options say what they say`() throws {
    let model = try Self.scenario(
      """
      --delay 20 --jitter uniform:2.5 --loss 2 --burst-loss 10:3 --reorder 1 --duplicate 3 \
      --rate 64 --queue 150
      """
    ).model
    #expect(model.delayNanoseconds == 20_000_000)
    #expect(model.jitter == .uniform(nanoseconds: 2_500_000))
    #expect(model.loss == 0.02)
    let bursts = try #require(model.bursts)
    #expect(bursts == .init(share: 0.1, meanLength: 3))
    #expect(model.reorder == 0.01)
    #expect(model.reorderNanoseconds == 25_000_000)
    #expect(try Self.scenario("--reorder 1:7.5").model.reorderNanoseconds == 7_500_000)
    #expect(model.duplication == 0.03)
    #expect(model.rateKilobits == 64)
    #expect(model.queueNanoseconds == 150_000_000)
    #expect(model.keepsOrder)
  }

  @Test func `without options packets pass at once`() throws {
    let stream = PacketStream(try Self.scenario(""), count: 100)
    #expect(stream.delays.allSatisfy { $0 == 0 })
    #expect(stream.counters.forwarded == 100)
  }

  @Test func `what a change does not name stays as it was`() throws {
    let scenario = try Self.scenario(
      "--delay 5 --loss 1 --at 10 --jitter storm --at 12.5 --jitter none --rate none")
    #expect(scenario.changes.map(\.atNanoseconds) == [10_000_000_000, 12_500_000_000])
    #expect(scenario.changes.map(\.model.jitter) == [.wifi(.storm), .none])
    #expect(scenario.changes.allSatisfy { $0.model.loss == 0.01 })
    #expect(scenario.changes.allSatisfy { $0.model.delayNanoseconds == 5_000_000 })
    #expect(scenario.model.jitter == .none)
  }

  @Test func `a storm of two seconds comes and goes in time`() throws {
    let stream = PacketStream(
      try Self.scenario("--delay 5 --at 10 --jitter storm --at 12 --jitter none"), count: 2000)
    #expect(stream.delays[..<1000].allSatisfy { $0 == 5 })
    #expect(Array(stream.delays[1000..<1200]).quantile(0.5) > 15)
    // What was held back comes first, then all is as before.
    #expect(stream.delays[1250...].allSatisfy { $0 == 5 })
  }

  @Test(arguments: [
    "--delay", "--delay x", "--delay -1", "--delay nan", "--loss 101", "--loss -0.1",
    "--jitter uniform", "--jitter wifi:3", "--jitter normal:3", "--burst-loss 10",
    "--burst-loss 60:1", "--burst-loss 5:0.5", "--rate 0", "--rate x", "--reorder x",
    "--reorder 5:", "--reorder 5:x", "--at 3 --at 3",
    "--at 0 --loss 1", "--los 3", "--at",
  ])
  func `what makes no sense is refused in words`(line: String) {
    #expect(throws: LinkScenario.ArgumentError.self) { try Self.scenario(line) }
  }

  @Test func `seed and times decide everything`() throws {
    let scenario = try Self.scenario(
      """
      --delay 5 --jitter wifi --loss 2 --burst-loss 5:3 --reorder 1 --duplicate 1 --rate 200 \
      --at 20 --jitter storm --at 22 --jitter gaussian:4
      """)
    let fates = PacketStream(scenario, count: 5000, seed: 7).fates
    #expect(PacketStream(scenario, count: 5000, seed: 7).fates == fates)
    #expect(PacketStream(scenario, count: 5000, seed: 8).fates != fates)
  }

  @Test func `a virtual link treats datagrams as the impairment says`() throws {
    let scenario = try Self.scenario("--jitter wifi --loss 5 --duplicate 5 --at 5 --delay 30")
    var link = VirtualLink(scenario: scenario, seed: 3)
    for index in 0..<1000 {
      link.send([UInt8](repeating: 0, count: 100), atNanoseconds: Int64(index) * 10_000_000)
    }
    var arrivals: [Int64] = []
    while let delivery = link.receive(byNanoseconds: .max) {
      arrivals.append(delivery.arrivalNanoseconds)
    }
    let stream = PacketStream(scenario, count: 1000, seed: 3)
    var expected: [Int64] = []
    for case .arrives(let moment, let copy) in stream.fates {
      expected += [moment] + (copy.map { [$0] } ?? [])
    }
    #expect(arrivals == expected.sorted())
    #expect(link.counters == stream.counters)
  }

  @Test func `more loss leaves the delays of those that arrive as they were`() throws {
    let few = PacketStream(try Self.scenario("--delay 9 --jitter gaussian:1 --loss 1"), count: 2000)
    let many = PacketStream(
      try Self.scenario("--delay 9 --jitter gaussian:1 --loss 20"), count: 2000)
    for (one, other) in zip(few.fates, many.fates) where other != .lost {
      #expect(one == other)
    }
  }
}
