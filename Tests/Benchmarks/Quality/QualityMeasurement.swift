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

  private static let heading =
    ["network", "PESQ", "worst", "drop", "STOI", "lost %", "late %", "concealed %"]
    + ["playout ms", "most ms", "payload kbit/s", "IP kbit/s", "xruns"]

  let bench: Bench
  let speech: QualitySpeech
  let seed: Int
  private let scorer: QualityScorer
  private let isVirtual: Bool
  private let keepFolder: String?

  init(
    bench: Bench, pieces: Int, seed: Int, isVirtual: Bool, keepFolder: String?
  ) throws(RigError) {
    self.bench = bench
    self.seed = seed
    self.isVirtual = isVirtual
    self.keepFolder = keepFolder
    speech = try QualitySpeech(pieces: pieces, in: bench.directory)
    scorer = QualityScorer(speech: speech, directory: bench.directory)
  }

  /// A table of one profile, with the codec alone to compare with, and from the clean network on that.
  func run(_ profile: QualityProfile, over links: [QualityLink]) throws(RigError) {
    let codec = try codecAlone(profile)
    var rows = [Self.heading]
    rows.append(
      ["codec", Figures.fixed(codec.pesq.median, 2), Figures.fixed(codec.pesq.minimum, 2)])
    let virtual = isVirtual ? try virtualCalls(profile).make(over: links) : [:]
    var reference = codec.pesq.median
    for link in links {
      Console.line("\(profile.name) over \(link.name):")
      let (recorded, reading) =
        if let made = virtual[link.name] { made } else { try linkedCall(profile, link) }
      try keep(recorded, as: "\(profile.name)-\(link.name)")
      let verdict = try verdict(recorded, expected: reading.expected)
      rows.append(add(profile, link, reading, verdict, drop: reference - verdict.pesq.median))
      if link.name == QualityLink.all[0].name { reference = verdict.pesq.median }
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
    _ profile: QualityProfile, _ link: QualityLink
  ) throws(RigError) -> (recorded: [Float], reading: QualityReading) {
    let call = try LinkedCall(
      speech, profile: profile, periodFrames: periodFrames(of: profile), over: link.options,
      seed: seed)
    defer { call.stop() }
    return try call.run()
  }

  private func virtualCalls(_ profile: QualityProfile) -> VirtualCalls {
    VirtualCalls(
      speech: speech, profile: profile, periodFrames: periodFrames(of: profile), seed: seed,
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

  private func add(
    _ profile: QualityProfile, _ link: QualityLink, _ reading: QualityReading, _ verdict: Verdict,
    drop: Double
  ) -> [String] {
    let delays = Distribution(reading.statuses.map(\.playoutDelayMilliseconds))
    func share(_ counter: (PeerStatus) -> Int) -> Double {
      reading.share(counter, packetMilliseconds: profile.packetMilliseconds)
    }
    let values: [(String, Double, String, Int)] = [
      ("pesq", verdict.pesq.median, "MOS", 2), ("pesq.worst", verdict.pesq.minimum, "MOS", 2),
      ("pesq.drop", drop, "MOS", 2), ("stoi", verdict.stoi.median, "ratio", 3),
      ("lost", share(\.lost), "%", 2), ("late", share(\.late), "%", 2),
      ("concealed", share(\.concealed), "%", 2),
      ("playoutDelay", delays.median, "ms", 1), ("playoutDelay.most", delays.quantile(1), "ms", 1),
      ("payload", reading.payloadKilobits, "kbit/s", 1),
      ("wire", reading.wireKilobits, "kbit/s", 1), ("xruns", Double(reading.xruns), "count", 0),
    ]
    let name = "quality.\(profile.name).\(link.name)"
    for (figure, value, unit, _) in values {
      bench.figures.add("\(name).\(figure)", value, unit)
    }
    bench.figures.add("\(name).portToPort", verdict.lag.median, "ms")
    if profile.name == "wifi" { addAims(name, link.aim) }
    return [link.name] + values.map { Figures.fixed($0.1, $0.3) }
  }

  private func addAims(_ name: String, _ aim: QualityLink.Aim) {
    if let drop = aim.pesqDrop { bench.figures.add("\(name).pesq.drop.limit", drop, "MOS") }
    if let rate = aim.payloadKilobits { bench.figures.add("\(name).payload.limit", rate, "kbit/s") }
    if let delay = aim.playoutDelay {
      bench.figures.add("\(name).playoutDelay.limit", delay, "ms")
    }
  }
}
