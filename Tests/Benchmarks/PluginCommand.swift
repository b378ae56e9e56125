import ArgumentParser
import TestRig

/// The plugin in jackd beside a JACK client, by turns.
struct PluginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin",
    abstract: "The plugin in jackd beside a client: callback, switches, xruns, latency.")

  @OptionGroup var options: BenchOptions

  @Option(help: "Seconds of each measurement.")
  var seconds = 10.0

  @Option(help: "Turns of both.")
  var rounds = 3

  func run() throws {
    try options.run("Plugin beside client, by turns, at P = \(options.period)") {
      try PluginMeasurement(bench: $0, seconds: seconds, rounds: rounds).run()
    }
  }
}
