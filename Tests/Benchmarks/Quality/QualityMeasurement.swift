import StatusSchema
import TestKit
import TestRig

/// Calls over one network after the other, and their scores.
struct QualityMeasurement {
  /// Scores of a recording's pieces.
  struct Verdict {
    var pesq: Distribution
    var stoi: Distribution
    var lag: Distribution

    init(_ scores: [QualityScorer.Score]) {
      // Of nothing, nobody's opinion is the least there is.
      pesq = Distribution(scores.map { $0.pesq ?? 1 })
      stoi = Distribution(scores.map(\.stoi))
      lag = Distribution(scores.map(\.lagMilliseconds))
    }
  }

  let bench: Bench
  let speech: QualitySpeech
  let seeds: [Int]
  private let scorer: QualityScorer
  private let isVirtual: Bool
  private let keepFolder: String?

  init(
    bench: Bench, pieces: Int, seeds: [Int], isVirtual: Bool, keepFolder: String?
  ) throws(RigError) {
    self.bench = bench
    self.seeds = seeds
    self.isVirtual = isVirtual
    self.keepFolder = keepFolder
    speech = try QualitySpeech(pieces: pieces, in: bench.directory)
    scorer = QualityScorer(speech: speech, directory: bench.directory)
  }

  /// A table of one profile, with the codec alone to compare with, and from the clean network on that.
  func run(_ profile: QualityProfile, over links: [QualityLink]) throws(RigError) {
    let codec = try codecAlone(profile)
    var rows = [QualityRow.heading]
    rows.append(
      ["codec", Figures.fixed(codec.pesq.median, 2), Figures.fixed(codec.pesq.minimum, 2)])
    let virtual = virtualCalls(profile)
    if isVirtual { try virtual.make(over: links) }
    var reference = QualityRow.Reference(pesq: codec.pesq.median)
    for link in links {
      var row = QualityRow(
        profile: profile, link: link, reference: reference,
        chanceMilliseconds: isVirtual ? 0 : Double(periodFrames(of: profile)) / 48)
      for seed in seeds {
        Console.line("\(profile.name) over \(link.name), seed \(seed):")
        let (recorded, reading) =
          isVirtual
          ? try virtual.result(over: link, seed: seed) : try linkedCall(profile, link, seed: seed)
        try keep(recorded, as: "\(profile.name)-\(link.name)-\(seed)")
        row.add(reading, try verdict(recorded, expected: reading.expected))
      }
      row.report(to: bench)
      rows.append(row.cells)
      if link.name == QualityLink.all[0].name { reference = row.asReference }
    }
    Console.line(
      "\nProfile \(profile.name) (drop: below clean; of what comes before it, below the codec alone):"
    )
    Console.table(rows)
  }

  private func codecAlone(_ profile: QualityProfile) throws(RigError) -> Verdict {
    let decoded = try CodecReference(profile: profile).decoded(speech.samples)
    let verdict = try verdict(decoded, expected: speech.starts)
    let name = "quality.\(profile.name).codec"
    bench.figures.add("\(name).pesq", verdict.pesq.median, "MOS")
    bench.figures.add("\(name).pesq.worst", verdict.pesq.minimum, "MOS")
    bench.figures.add("\(name).stoi", verdict.stoi.median, "ratio")
    bench.figures.add("\(name).bitrate", Double(profile.bitsPerSecond) / 1000, "kbit/s")
    return verdict
  }

  private func periodFrames(of profile: QualityProfile) -> Int {
    bench.options.givenPeriod ?? profile.periodFrames
  }

  private func linkedCall(
    _ profile: QualityProfile, _ link: QualityLink, seed: Int
  ) throws(RigError) -> (recorded: [Float], reading: QualityReading) {
    let call = try LinkedCall(
      speech, profile: profile, periodFrames: periodFrames(of: profile), over: link.options,
      seed: seed)
    defer { call.stop() }
    return try call.run()
  }

  private func virtualCalls(_ profile: QualityProfile) -> VirtualCalls {
    VirtualCalls(
      speech: speech, profile: profile, periodFrames: periodFrames(of: profile), seeds: seeds,
      directory: bench.directory)
  }

  /// Scores of what was heard.
  func verdict(_ recorded: [Float], expected: [Int]) throws(RigError) -> Verdict {
    Verdict(try scorer.scores(recorded, expected: expected))
  }

  /// Writes what was heard, if that is wanted.
  func keep(_ recorded: [Float], as name: String) throws(RigError) {
    guard let keepFolder else { return }
    let sound = Sound(channels: [recorded], sampleRate: Bench.sampleRate)
    try WAV.write(sound, to: "\(keepFolder)/\(name).wav")
  }
}
