import TestRig

/// Whether nodes grow: of each process the last third of its life against the first, by medians, as a machine that
/// stalls once is no growth.
struct SoakGrowth {
  /// A figure, and a growth within which two equal thirds of a talk differ anyway.
  private struct Measure {
    var name: String
    var unit: String
    var allowance: Double
    var value: @Sendable (SoakReading) -> Double
  }

  private static let measures = [
    Measure(name: "written", unit: "MB", allowance: 0.5) { $0.writtenMegabytes },
    Measure(name: "resident", unit: "MB", allowance: 1) { $0.residentMegabytes },
    Measure(name: "descriptors", unit: "count", allowance: 2) { $0.descriptors },
    Measure(name: "playoutDelay", unit: "ms", allowance: 10) { $0.playoutDelay },
    // Each xrun of a server may be one, and these machines have some a second.
    Measure(name: "glitches", unit: "1/s", allowance: 3) { $0.glitchesPerSecond },
  ]
  /// Of three thirds with a median each: fewer are too short a life to judge.
  private static let leastReadings = 9

  let bench: Bench

  /// Judges all readings, round by round.
  func judge(_ rounds: [[SoakReading]]) {
    var lives: [[SoakReading]] = []
    for reading in rounds.joined() {
      if let index = lives.firstIndex(where: { $0.first?.process == reading.process }) {
        lives[index].append(reading)
      } else {
        lives.append([reading])
      }
    }
    var numbers: [String: Int] = [:]
    for life in lives {
      guard let station = life.first?.name else { continue }
      let number = numbers[station, default: 0] + 1
      numbers[station] = number
      judge(life, number == 1 ? station : "\(station)\(number)")
    }
  }

  private func judge(_ life: [SoakReading], _ name: String) {
    guard life.count >= Self.leastReadings else {
      Console.line(
        "soak: \(name) lived through \(life.count) faults, too short to judge its growth: "
          + "\(Self.leastReadings) are needed")
      return
    }
    for measure in Self.measures {
      let values = life.map(measure.value)
      let first = Distribution(values.prefix(values.count / 3)).median
      let last = Distribution(values.suffix(values.count / 3)).median
      bench.figures.add("soak.\(measure.name).\(name).firstThird", first, measure.unit)
      bench.figures.add("soak.\(measure.name).\(name).lastThird", last, measure.unit)
      bench.doubts.check(
        "\(measure.name) of \(name) grew", !(last <= first + measure.allowance))
    }
  }
}
