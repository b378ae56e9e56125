import ArgumentParser
import TestRig

/// What the process callback costs with eight talkers.
struct CallbackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "callback",
    abstract: "Callback time with 8 peers, and xruns beside those of a bare pass-through client.")

  @OptionGroup var options: BenchOptions

  @Option(help: "Seconds to measure.")
  var seconds = 20.0

  func run() throws {
    try options.run("Process callback at P = \(options.period), 8 peers talking") {
      try CallbackMeasurement(bench: $0, seconds: seconds).run()
    }
  }
}
