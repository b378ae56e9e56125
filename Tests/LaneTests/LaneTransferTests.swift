import Mesh
import TestKit
import Testing

/// A long file over a narrow way, in virtual time.
@Suite struct LaneTransferTests {
  private static let partBytes = 32 * 1024

  /// The part of a file: another for each number.
  private static func part(_ number: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: number)
    var octets: [UInt8] = []
    octets.reserveCapacity(partBytes)
    while octets.count < partBytes {
      let word = random.next()
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        octets.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    return octets
  }

  private static var narrow: LinkModel {
    var model = LinkModel()
    model.rateKilobits = 2000
    model.loss = 0.03
    model.delayNanoseconds = 10_000_000
    model.keepsOrder = true
    return model
  }

  /// Moves a file of so many parts, with three reconnects; gives the seconds that it took.
  private func move(
    parts: UInt64, over simulation: LaneSimulation, reconnects: Set<UInt64>
  ) throws -> Double {
    var (sent, came, acknowledged): (UInt64, UInt64, UInt64) = (0, 0, 0)
    var isRight = true
    simulation.received = { message in
      isRight = isRight && message.key.sequence == came && message.octets == Self.part(came)
      came += 1
    }
    simulation.told = { event in
      if case .acknowledged = event { acknowledged += 1 }
    }
    var rest = reconnects.sorted()
    simulation.connect()
    let start = simulation.now
    while acknowledged < parts, simulation.now - start < .seconds(3600) {
      while sent < parts, sent < acknowledged + 8 {
        try simulation.desks[0].send(
          Self.part(sent), on: .files, to: simulation.nodes[1], sequence: sent)
        sent += 1
      }
      simulation.step()
      if let next = rest.first, came >= next {
        rest.removeFirst()
        // In the middle of a part.
        for _ in 0..<Int(next % 97) { simulation.step() }
        simulation.disconnect()
        for _ in 0..<1500 { simulation.step() }
        simulation.connect()
      }
    }
    #expect(isRight && came == parts && acknowledged == parts)
    return Double(simulation.now - start) / 1e9
  }

  @Test func `100 MiB at 2 Mbit/s with 3 % loss, 8 voices and three reconnects hold up nothing`()
    throws
  {
    let bare = LaneSimulation(model: Self.narrow, talkers: 8, seed: 5)
    for _ in 0..<60_000 { bare.step() }
    let simulation = LaneSimulation(model: Self.narrow, talkers: 8, seed: 5)
    // Under a sanitizer a sixteenth of it.
    let parts: UInt64 = Seeds.areFew ? 200 : 3200
    let seconds = try move(
      parts: parts, over: simulation, reconnects: [parts / 8, parts / 2, parts * 7 / 8])
    // The voices take 0.6 of the 2 Mbit/s.
    let least = Double(parts) * Double(Self.partBytes) * 8 / 1_400_000
    #expect((least * 0.95...least * 2.2 + 20).contains(seconds), "\(seconds) s of \(least) s")
    #expect(simulation.droppedCount == 0)
    let late = simulation.heartbeatNanoseconds.max() ?? .max
    #expect(late < 500_000_000, "\(late / 1_000_000) ms")
    let added = [0.5, 0.99, 0.999].map {
      simulation.voiceMilliseconds(below: $0) - bare.voiceMilliseconds(below: $0)
    }
    #expect(added[0] <= 20 && added[1] <= 40 && added[2] <= 60, "\(added) ms")
  }

  @Test(arguments: Seeds.first(10))
  func `other losses and delays likewise`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var model = Self.narrow
    model.loss = [0, 0.01, 0.05].randomElement(using: &random) ?? 0
    model.delayNanoseconds = .random(in: 1_000_000...60_000_000, using: &random)
    model.rateKilobits = .random(in: 900...8000, using: &random)
    let simulation = LaneSimulation(model: model, talkers: 8, seed: seed)
    let seconds = try move(
      parts: 100, over: simulation, reconnects: [30, .random(in: 31...90, using: &random)])
    #expect(simulation.droppedCount == 0, "seed \(seed)")
    let late = simulation.heartbeatNanoseconds.max() ?? .max
    #expect(late < 1_000_000_000, "seed \(seed): \(late / 1_000_000) ms")
    let spare = (model.rateKilobits ?? 0) - 600
    let least = 100 * Double(Self.partBytes) * 8 / spare / 1000
    #expect(seconds < 4 * least + 20, "seed \(seed): \(seconds) s of \(least) s")
  }
}
