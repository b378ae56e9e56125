import ArgumentParser
import TestRig

/// Clicks and holes in a steady tone, beside JackTrip.
struct ClicksCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clicks",
    abstract: "Counts clicks and holes in a tone between two servers, beside JackTrip.",
    discussion: """
      Two nodes and two JackTrip 1.x, which is left at its defaults, carry the same tone between the same two \
      servers at the same time, so that the machine's stalls are the same for both. Speech at the end tells the \
      delay. There may be as many events as JackTrip has, or two a minute, at no more delay than JackTrip's.
      """)

  @OptionGroup var options: BenchOptions

  @Option(help: "How much faster A's clock is, in parts per million, separated by commas.")
  var ppm = "0,100"

  @Option(help: "Seconds of the tone.")
  var seconds = 120.0

  @Option(help: "The nodes' profile: stage, wifi, saver or none.")
  var profile = "stage"

  func validate() throws {
    guard (10...3600).contains(seconds) else {
      throw ValidationError("--seconds is 10 to 3600, not \(seconds)")
    }
    guard ["stage", "wifi", "saver", "none"].contains(profile) else {
      throw ValidationError("--profile is stage, wifi, saver or none, not \(profile)")
    }
    _ = try drifts()
  }

  func run() throws {
    let drifts = try drifts()
    // As F10 of the field: the period of a sound card that most people use.
    var options = options
    options.givenPeriod = options.givenPeriod ?? 128
    try options.run("Clicks in a tone at P = \(options.period), profile \(profile)") { bench in
      for ppm in drifts {
        try ClicksMeasurement(bench: bench, ppm: ppm, seconds: seconds, profile: profile).run()
      }
    }
  }

  private func drifts() throws -> [Double] {
    try ppm.split(separator: ",").map { text in
      guard let value = Double(text), abs(value) <= 2000 else {
        throw ValidationError("--ppm takes numbers from -2000 to 2000, not \(text)")
      }
      return value
    }
  }
}
