import ArgumentParser
import TestRig

/// Two nodes whose sound cards' clocks differ.
struct DriftCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drift",
    abstract: "Two nodes talk while the clocks of their servers differ; glitches are counted.",
    discussion: """
      0 ppm tells what the machine alone does: its stalls are xruns and holes at any drift. Compare \
      the others with it. Judged are splices, codec frames made up, and holes but those of which the \
      nodes counted that JACK called too soon or woke them too late: there are to be none. A machine \
      that stalls for longer than the playout delay makes some. Judged, too, is how far the drift as \
      the nodes know it is off, by the median: 5 ppm at most.
      """)

  @OptionGroup var options: BenchOptions

  @Option(help: "How much faster A's clock is, in parts per million, separated by commas.")
  var ppm = "0,100,300"

  @Option(help: "How long at each.")
  var minutes = 10.0

  @Option(help: "Audio per packet in milliseconds.")
  var ptime = "10"

  @Option(
    help: "The nodes' playout delay: milliseconds that outlast the machine's stalls, or auto.")
  var playoutDelay = "60"

  func validate() throws {
    guard (0.5...1000).contains(minutes) else {
      throw ValidationError("--minutes is 0.5 to 1000, not \(minutes)")
    }
    _ = try drifts()
  }

  func run() throws {
    let drifts = try drifts()
    try options.run("Clocks that differ, \(Figures.fixed(minutes, 1)) minutes each") { bench in
      for ppm in drifts {
        try DriftMeasurement(
          bench: bench, ppm: ppm, minutes: minutes, ptime: ptime, playoutDelay: playoutDelay
        ).run()
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
