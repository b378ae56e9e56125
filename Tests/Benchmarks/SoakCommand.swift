import ArgumentParser
import TestRig

/// An hour of talk on a bad network between clocks that differ.
struct SoakCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract: "Two stations talk for long: no growth of memory, delay or glitches; takes root.")

  @OptionGroup var options: BenchOptions

  @Option(help: "How long.")
  var minutes = 60.0

  @Option(help: "How much faster A's clock is, in parts per million.")
  var drift = 200.0

  @Option(help: "Options of comlink-link, in one word.")
  var network = "--delay 5 --jitter uniform:8 --loss 2"

  func validate() throws {
    guard (1...10_000).contains(minutes) else {
      throw ValidationError("--minutes is 1 to 10000, not \(minutes)")
    }
  }

  func run() throws {
    try options.run("Two stations talk for \(Figures.fixed(minutes, 0)) minutes") {
      try SoakMeasurement(
        bench: $0, minutes: minutes, driftPPM: drift,
        linkOptions: network.split(separator: " ").map(String.init)
      ).run()
    }
  }
}
