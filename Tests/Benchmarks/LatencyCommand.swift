import ArgumentParser
import TestRig

/// Port-to-port latency of speech at the packet times that matter.
struct LatencyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latency",
    abstract: "Mouth to ear less the two JACK periods, with the sum of its parts.")

  @OptionGroup var options: BenchOptions

  @Option(help: "Seconds of speech in each round.")
  var seconds = 8.0

  @Option(help: "Pairs of JACK servers for each setting, as each pair beats differently.")
  var rounds = 3

  func run() throws {
    try options.run("Latency, port to port, at P = \(options.period)") {
      try LatencyMeasurement(bench: $0, seconds: seconds, rounds: rounds).run()
    }
  }
}
