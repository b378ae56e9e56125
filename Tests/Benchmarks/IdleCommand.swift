import ArgumentParser
import TestRig

/// What a node costs that nobody talks to.
struct IdleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "idle", abstract: "Memory beyond JACK's own mapping, and CPU, without peers.")

  @OptionGroup var options: BenchOptions

  @Option(help: "Seconds to measure.")
  var seconds = 10.0

  func run() throws {
    try options.run("An idle node at P = \(options.period)") {
      try IdleMeasurement(bench: $0, seconds: seconds).run()
    }
  }
}
