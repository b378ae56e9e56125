import ArgumentParser
import TestRig

/// What many lines cost.
struct LinesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lines",
    abstract: "CPU of a node that three talk to: on one line, and each on its own of 24, by turns.")

  @OptionGroup var options: BenchOptions

  @Option(help: "Seconds to measure on one line, and on 24, in each round.")
  var seconds = 8.0

  @Option(help: "Rounds.")
  var rounds = 3

  func validate() throws {
    guard (1...100).contains(rounds) else { throw ValidationError("--rounds is 1 to 100") }
  }

  func run() throws {
    try options.run("24 lines and three talkers at P = \(options.period)") {
      try LinesMeasurement(bench: $0, seconds: seconds, rounds: rounds).run()
    }
  }
}
