import ArgumentParser
import TestRig

/// Those who look on while many talk.
struct ViewersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "viewers",
    abstract: "What it costs a node that viewers follow its levels while many talk.")

  @OptionGroup var options: BenchOptions

  @Option(help: "Viewers, each of whom subscribes with levels; 32 at most.")
  var viewers = 16

  @Flag(help: "They have the node's page open, under TLS.")
  var pages = false

  @Option(help: "Talkers.")
  var talkers = 32

  @Option(help: "Seconds to measure without viewers, and with them, in each round.")
  var seconds = 8.0

  @Option(help: "Rounds.")
  var rounds = 3

  func run() throws {
    try options.run("\(viewers) viewers of a node at P = \(options.period), \(talkers) talkers") {
      try ViewersMeasurement(
        bench: $0, viewers: viewers, havePages: pages, talkers: talkers, seconds: seconds,
        rounds: rounds
      ).run()
    }
  }
}
