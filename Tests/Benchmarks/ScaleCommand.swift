import ArgumentParser
import TestRig

/// One listener, more and more talkers.
struct ScaleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scale", abstract: "One node receiving 1, 2, 4 ... 32 talkers at once.")

  @OptionGroup var options: BenchOptions

  @Option(help: "Seconds to measure for each number of talkers.")
  var seconds = 8.0

  @Option(help: "The most talkers.")
  var talkers = 32

  func run() throws {
    try options.run("One receiver at P = \(options.period), up to \(talkers) talkers") {
      try ScaleMeasurement(bench: $0, seconds: seconds, maximum: talkers).run()
    }
  }
}
