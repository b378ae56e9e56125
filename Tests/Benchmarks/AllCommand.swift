import ArgumentParser
import TestRig

/// Every measurement with its default length.
struct AllCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "all", abstract: "All measurements, one after the other.")

  @OptionGroup var options: BenchOptions

  func run() throws {
    try options.run("All measurements at P = \(options.period)") { bench in
      try LatencyMeasurement(bench: bench, seconds: 8, rounds: 3).run()
      try CallbackMeasurement(bench: bench, seconds: 20).run()
      try CPUMeasurement(bench: bench, seconds: 8, rounds: 3, only: nil).run()
      try ScaleMeasurement(bench: bench, seconds: 8, maximum: 32).run()
      try KeyEdgeMeasurement(bench: bench, presses: KeyEdgeMeasurement.usualPresses).run()
      try LinesMeasurement(bench: bench, seconds: 8, rounds: 3).run()
      try ViewersMeasurement(
        bench: bench, viewers: 16, havePages: false, talkers: 32, seconds: 8, rounds: 3
      ).run()
      try MessagesMeasurement(bench: bench, talkers: 8, messages: 100).run()
      try IdleMeasurement(bench: bench, seconds: 10).run()
    }
  }
}
