import TestKit
import Testing

@Suite struct LossModelTests {
  /// Lengths of the runs of lost packets.
  private static func bursts(_ losses: [Bool]) -> [Double] {
    losses.split(separator: false).map { Double($0.count) }
  }

  @Test(arguments: [0.01, 0.05, 0.2]) func `losses are as many as asked, one by one`(share: Double)
  {
    var model = LinkModel()
    model.loss = share
    let stream = PacketStream(model, count: 50_000)
    let lost = Double(stream.counters.lost) / 50_000
    #expect(abs(lost - share) < 0.1 * share + 0.001)
    // Independent losses meet by chance only.
    #expect(abs(Self.bursts(stream.losses).mean - 1 / (1 - share)) < 0.05)
    #expect(stream.counters.forwarded + stream.counters.lost == 50_000)
    #expect(stream.losses.count { $0 } == stream.counters.lost)
  }

  @Test(arguments: [(0.05, 3.0), (0.1, 3.0), (0.2, 8.0), (0.02, 1.0)])
  func `bursts are as many and as long as asked`(share: Double, length: Double) {
    var model = LinkModel()
    model.bursts = .init(share: share, meanLength: length)
    let stream = PacketStream(model, count: 200_000)
    #expect(abs(Double(stream.counters.lost) / 200_000 - share) < 0.08 * share)
    #expect(abs(Self.bursts(stream.losses).mean - length) < 0.06 * length)
  }

  @Test func `nothing and everything can be lost`() {
    var model = LinkModel()
    #expect(PacketStream(model, count: 1000).counters.lost == 0)
    model.loss = 1
    #expect(PacketStream(model, count: 1000).counters.lost == 1000)
  }

  @Test func `copies and detours are counted and as many as asked`() {
    var model = LinkModel()
    model.duplication = 0.1
    model.reorder = 0.05
    let stream = PacketStream(model)
    let copies = stream.fates.compactMap { fate -> Int64? in
      guard case .arrives(let moment, let copy) = fate else { return nil }
      return copy.map { $0 - moment }
    }
    #expect(copies.count == stream.counters.duplicated)
    #expect(abs(copies.count - 2000) < 200)
    #expect(copies.allSatisfy { (0...5_000_000).contains($0) })
    #expect(abs(stream.counters.reordered - 1000) < 150)
    #expect(stream.delays.count { $0 > 4 } == stream.counters.reordered)
  }
}
