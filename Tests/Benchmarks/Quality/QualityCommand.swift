import ArgumentParser
import Foundation
import TestRig

/// Speech over bad networks, judged by PESQ and STOI.
struct QualityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "quality",
    abstract: "PESQ-WB and STOI of speech over emulated networks, with what it costs; takes root.",
    discussion: """
      Each profile says 64 s of four talkers over each network, on two JACK servers in network \
      namespaces. The pieces of 8 s are found in what was heard and judged one by one: xruns of the \
      machine spoil some, so medians count, and those of three calls with other chances. codec is the codec alone at the profile's bit rate.

      networks: \(QualityLink.all.map(\.name).joined(separator: ", ")) (far5, far10, cap32 and cap24 only by name)
      """)

  @OptionGroup var options: BenchOptions

  @Option(help: "Only these profiles, separated by commas.")
  var profile = QualityProfile.all.map(\.name).joined(separator: ",")

  @Option(help: "Only these networks, separated by commas, in this order.")
  var link = QualityLink.all.filter { !$0.isExtra }.map(\.name).joined(separator: ",")

  @Option(help: "Most payload to one peer, kbit/s, for the profile's own (--bitrate-max).")
  var bitrateMax: Int?

  @Option(help: "Pieces of 8 s, 1 to 8.")
  var pieces = 8

  @Option(help: "What the networks draw their chances from.")
  var seed = 1

  @Option(help: "Calls over each network, with that seed and those after: medians, and the worst.")
  var seeds = 3

  @Flag(
    help: "In virtual time, by the tests' stations: without JACK, root and the machine's noise.")
  var virtual = false

  @Flag(
    help: "JackTrip, Jamulus and zita-njbridge, where installed, over the same networks.")
  var rivals = false

  @Option(help: "Keep what was heard in this folder, as WAV; it is made if it is not there.")
  var keep: String?

  func validate() throws {
    guard (1...8).contains(pieces), seed >= 0, (1...100).contains(seeds) else {
      throw ValidationError("--pieces is 1 to 8, --seed 0 or more and --seeds 1 to 100")
    }
    guard (6...2000).contains(bitrateMax ?? 6) else {
      throw ValidationError("--bitrate-max is 6 to 2000")
    }
    guard !(virtual && rivals) else {
      throw ValidationError("--rivals take real JACK servers, not --virtual")
    }
    _ = try profiles()
    _ = try links()
  }

  func run() throws {
    let (profiles, links) = (try profiles(), try links())
    if let keep {
      // Before a measurement of minutes.
      try FileManager.default.createDirectory(atPath: keep, withIntermediateDirectories: true)
    }
    try options.run("Speech over bad networks") { bench in
      let measurement = try QualityMeasurement(
        bench: bench, pieces: pieces, seeds: Array(seed..<seed + seeds), isVirtual: virtual,
        keepFolder: keep)
      for profile in profiles { try measurement.run(profile, over: links) }
      guard rivals else { return }
      try measurement.runRivals(over: links, periodFrames: profiles.last?.periodFrames)
    }
  }

  private func profiles() throws -> [QualityProfile] {
    try options.named(profile, of: QualityProfile.all, "--profile", \.name).map { profile in
      var profile = profile
      profile.bitrateMaxKilobits = bitrateMax
      return profile
    }
  }

  private func links() throws -> [QualityLink] {
    try options.named(link, of: QualityLink.all, "--link", \.name)
  }
}
