import ArgumentParser
import TestRig

/// What a node takes from a battery, and gives as heat.
struct BatteryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "battery",
    abstract:
      "CPU, wake-ups, context switches, system calls and packets a second: idle, member of a silent group (as root), listening, talking, in each profile."
  )

  @OptionGroup var options: BenchOptions

  @Option(help: "Seconds to measure each.")
  var seconds = 10.0

  @Option(help: "Turns; figures are their medians.")
  var rounds = 3

  @Option(help: "Profiles, separated by commas.")
  var profile = BatteryMeasurement.profiles.joined(separator: ",")

  func run() throws {
    let profiles = try options.named(profile, of: BatteryMeasurement.profiles, "--profile") { $0 }
    let period = options.givenPeriod.map { "P = \($0)" } ?? "its profile's JACK period"
    try options.run("What a node costs at \(period)") {
      try BatteryMeasurement(bench: $0, seconds: seconds, rounds: rounds, profiles: profiles).run()
    }
  }
}
