import ArgumentParser
import TestRig

/// An hour of talk among three stations on a bad network, and all that happens in the field.
struct SoakCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract:
      "Three stations talk for long while things happen to them: audio uptime, recovery, growth; takes root."
  )

  @OptionGroup var options: BenchOptions

  @Option(help: "How long.")
  var hours = 1.0

  @Option(help: "From one fault to the next, seconds.")
  var every = 30.0

  @Option(help: "Options of comlink-link, in one word.")
  var network = "--delay 5 --jitter uniform:8 --loss 2"

  @Option(help: "Of the order of the faults.")
  var seed: UInt64 = 1

  func validate() throws {
    guard (0.01...1000).contains(hours) else {
      throw ValidationError("--hours is 0.01 to 1000, not \(hours)")
    }
    guard (15...3600).contains(every) else {
      throw ValidationError("--every is 15 to 3600 seconds, not \(every)")
    }
  }

  func run() throws {
    try options.run("Three stations talk for \(Figures.fixed(hours * 60, 0)) minutes") {
      try SoakMeasurement(
        bench: $0, minutes: hours * 60, faultSeconds: every,
        linkOptions: network.split(separator: " ").map(String.init), seed: seed
      ).run()
    }
  }
}
