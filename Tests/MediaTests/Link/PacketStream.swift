import TestKit

/// Packets at a steady pace through one direction of a link.
struct PacketStream {
  /// What became of each, in order.
  let fates: [PacketFate]
  /// What the link says it did.
  let counters: LinkCounters
  let intervalNanoseconds: Int64

  init(
    _ model: LinkModel, count: Int = 20_000, everyMilliseconds interval: Double = 10,
    packetBytes: Int = 128, seed: UInt64 = 1
  ) {
    self.init(
      LinkScenario(model), count: count, everyMilliseconds: interval, packetBytes: packetBytes,
      seed: seed)
  }

  init(
    _ scenario: LinkScenario, count: Int = 20_000, everyMilliseconds interval: Double = 10,
    packetBytes: Int = 128, seed: UInt64 = 1
  ) {
    var link = Impairment(scenario: scenario, seed: seed)
    let nanoseconds = Int64(interval * 1e6)
    fates = (0..<count).map {
      link.fate(packetBytes: packetBytes, atNanoseconds: Int64($0) * nanoseconds)
    }
    counters = link.counters
    intervalNanoseconds = nanoseconds
  }

  /// Arrivals of those that arrive, in order of sending.
  var arrivals: [Int64] {
    fates.compactMap {
      if case .arrives(let moment, _) = $0 { moment } else { nil }
    }
  }

  /// Delays of those that arrive, in milliseconds.
  var delays: [Double] {
    zip(fates, 0...).compactMap { fate, index in
      guard case .arrives(let moment, _) = fate else { return nil }
      return Double(moment - Int64(index) * intervalNanoseconds) / 1e6
    }
  }

  /// Whether each packet is lost.
  var losses: [Bool] { fates.map { $0 == .lost } }
}

extension [Double] {
  var mean: Double { reduce(0, +) / Double(count) }

  func quantile(_ fraction: Double) -> Double { sorted()[Int(fraction * Double(count - 1))] }
}
