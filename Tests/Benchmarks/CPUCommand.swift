import ArgumentParser
import TestRig

/// CPU of one end of a two-way talk, beside the programs people use now.
struct CPUCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cpu",
    abstract: "CPU in a two-way talk, taking turns with JackTrip and Jamulus where installed.")

  @OptionGroup var options: BenchOptions

  @Option(help: "Seconds of each turn.")
  var seconds = 8.0

  @Option(help: "Turns of each program.")
  var rounds = 3

  @Option(help: "Only these contestants, separated by commas: comlink,jacktrip,jamulus.")
  var only: String?

  func run() throws {
    let names = only?.split(separator: ",").map(String.init)
    try options.run("CPU of one end of a two-way talk at P = \(options.period)") {
      try CPUMeasurement(bench: $0, seconds: seconds, rounds: rounds, only: names).run()
    }
  }
}
