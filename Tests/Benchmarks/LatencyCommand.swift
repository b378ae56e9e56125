import ArgumentParser
import TestRig

/// Port-to-port latency of speech at the packet times that matter.
struct LatencyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latency",
    abstract: "Mouth to ear less the two JACK periods, with the sum of its parts.")

  @OptionGroup var options: BenchOptions

  @Option(help: "Seconds of speech for each setting.")
  var seconds = 20.0

  func run() throws {
    try options.run("Latency, port to port, at P = \(options.period)") {
      try LatencyMeasurement(bench: $0, seconds: seconds).run()
    }
  }
}
