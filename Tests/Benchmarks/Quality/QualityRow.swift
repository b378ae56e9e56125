import StatusSchema
import TestKit
import TestRig

/// What calls over one network gave, with one seed or several: the medians, and the worst of the PESQ.
struct QualityRow {
  /// Name, unit and digits of a figure.
  private typealias Figure = (name: String, value: Double, unit: String, digits: Int)

  /// Scores of one call, and what it took.
  private struct Call {
    var reading: QualityReading
    var verdict: QualityMeasurement.Verdict
  }

  /// What calls over the clean network gave, as far as they were made.
  struct Reference {
    /// Before that, the codec's alone.
    var pesq: Double
    /// Mean milliseconds.
    var playoutDelay = Double.nan
  }

  static let heading =
    ["network", "PESQ", "worst piece", "drop", "worst seed", "STOI", "lost %", "late % of 0.5"]
    + ["concealed %", "outside %", "playout ms", "most ms", "payload kbit/s", "IP kbit/s", "xruns"]

  private let profile: QualityProfile
  private let link: QualityLink
  private let reference: Reference
  private let chanceMilliseconds: Double
  private var calls: [Call] = []

  /// A row without calls.
  ///
  /// - Parameter chanceMilliseconds: by how much the playout delay differs from call to call, as the beats of two JACK
  ///   servers stand to each other by chance: up to a period.
  init(
    profile: QualityProfile, link: QualityLink, reference: Reference, chanceMilliseconds: Double
  ) {
    self.profile = profile
    self.link = link
    self.reference = reference
    self.chanceMilliseconds = chanceMilliseconds
  }

  /// What these calls are to others, if the network is the clean one.
  var asReference: Reference { Reference(pesq: pesq, playoutDelay: playoutDelay) }

  /// The table's row.
  var cells: [String] {
    [link.name] + figures.map { $0.value.isNaN ? "" : Figures.fixed($0.value, $0.digits) }
  }

  /// Takes a call over this network.
  mutating func add(_ reading: QualityReading, _ verdict: QualityMeasurement.Verdict) {
    calls.append(Call(reading: reading, verdict: verdict))
  }

  /// Adds the figures, and what they must keep.
  func report(to bench: Bench) {
    let name = "quality.\(profile.name).\(link.name)"
    for (figure, value, unit, _) in figures where !value.isNaN {
      bench.figures.add("\(name).\(figure)", value, unit)
    }
    bench.figures.add("\(name).portToPort", median { $0.verdict.lag.median }, "ms")
    if let aim = link.aims[profile.profile] { judge(aim, name, to: bench) }
  }

  private var pesq: Double { median { $0.verdict.pesq.median } }
  private var playoutDelay: Double { median { Self.delays($0).median } }

  private var figures: [Figure] {
    let worst = calls.map(\.verdict.pesq.median).min() ?? .nan
    return [
      ("pesq", pesq, "MOS", 2),
      ("pesq.worst", calls.map(\.verdict.pesq.minimum).min() ?? .nan, "MOS", 2),
      ("pesq.drop", reference.pesq - pesq, "MOS", 2),
      ("pesq.drop.worst", reference.pesq - worst, "MOS", 2),
      ("stoi", median { $0.verdict.stoi.median }, "ratio", 3),
      ("lost", share(\.lost), "%", 2), ("late", share(\.late), "%", 2),
      ("concealed", share(\.concealed), "%", 2),
      ("concealed.outside", median { $0.reading.concealedOutsidePercent ?? .nan }, "%", 2),
      ("playoutDelay", playoutDelay, "ms", 1),
      ("playoutDelay.most", median { Self.delays($0).quantile(1) }, "ms", 1),
      ("payload", median(\.reading.payloadKilobits), "kbit/s", 1),
      ("wire", median(\.reading.wireKilobits), "kbit/s", 1),
      ("xruns", median { Double($0.reading.xruns) }, "count", 0),
    ]
  }

  private func median(_ figure: (Call) -> Double) -> Double {
    Distribution(calls.map(figure)).median
  }

  private func share(_ counter: (PeerStatus) -> Int) -> Double {
    median { $0.reading.share(counter) }
  }

  private static func delays(_ call: Call) -> Distribution {
    Distribution(call.reading.statuses.map(\.playoutDelayMilliseconds))
  }

  /// What is more than on the clean network is known only after it.
  private func judge(_ aim: QualityLink.Aim, _ name: String, to bench: Bench) {
    let more = playoutDelay - reference.playoutDelay
    if let limit = aim.playoutDelayMore, !more.isNaN {
      // To a tenth, as the table has it: one packet of 2.5 ms more is 2.5 and some microseconds.
      bench.judge(
        "\(name).playoutDelay.more", (more * 10).rounded() / 10, "ms",
        atMost: limit + chanceMilliseconds)
    }
    let aims: [(figure: String, limit: Double?)] = [
      ("pesq.drop", aim.pesqDrop), ("payload", aim.payloadKilobits),
      ("playoutDelay", aim.playoutDelay), ("playoutDelay.most", aim.playoutDelayMost),
      ("concealed", aim.concealed), ("concealed.outside", aim.concealedOutside),
    ]
    for figure in figures where !figure.value.isNaN {
      guard let limit = aims.first(where: { $0.figure == figure.name })?.limit else { continue }
      bench.limit("\(name).\(figure.name)", figure.value, figure.unit, atMost: limit)
    }
  }
}
