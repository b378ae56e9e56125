import ArgumentParser
import TestRig

/// What many lines cost, and how soon a key talks.
struct LinesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lines",
    abstract: "From a key's edge to the first packet; CPU of 24 lines against one, three talkers.")

  @OptionGroup var options: BenchOptions

  @Option(help: "Seconds to measure on one line, and on 24, in each round.")
  var seconds = 8.0

  @Option(help: "Rounds.")
  var rounds = 3

  @Option(help: "Presses by MIDI, and by command; 0: none, and no CPU with --rounds 0.")
  var presses = KeyEdgeMeasurement.usualPresses

  func validate() throws {
    guard (0...100).contains(rounds) else { throw ValidationError("--rounds is 0 to 100") }
    guard (0...1000).contains(presses) else { throw ValidationError("--presses is 0 to 1000") }
  }

  func run() throws {
    try options.run("Keys, 24 lines and three talkers at P = \(options.period)") { bench in
      if presses > 0 { try KeyEdgeMeasurement(bench: bench, presses: presses).run() }
      if rounds > 0 { try LinesMeasurement(bench: bench, seconds: seconds, rounds: rounds).run() }
    }
  }
}
