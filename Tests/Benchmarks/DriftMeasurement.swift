import Remote
import StatusSchema
import TestRig

/// Speech both ways between two servers of which one's clock runs faster, and what became of it.
struct DriftMeasurement {
  /// What both nodes together counted.
  private struct Reading {
    var holes = 0.0
    var splices = 0.0
    var concealed = 0.0
    var late = 0.0
    var missed = 0.0
    var xruns = 0.0

    init(_ statuses: [Status]) {
      for status in statuses {
        xruns += Double(status.audio.xruns)
        missed += Double(status.audio.missedPeriods)
        guard let peer = status.peers.first else { continue }
        holes += Double(peer.underrun)
        splices += Double(peer.spliced)
        concealed += Double(peer.concealed)
        late += Double(peer.late)
      }
    }
  }

  /// Until then a clock is to be known.
  private static let settlingSeconds = 15.0
  private static let stepSeconds = 10.0

  let bench: Bench
  let ppm: Double
  let minutes: Double
  let ptime: String
  let playoutDelay: String

  func run() throws(RigError) {
    Console.line("\nA's clock \(Figures.fixed(ppm, 0)) ppm faster:")
    let speech = try Speech.sentences()
    let (a, b) = try bench.pair(recordSeconds: 1, driftPPM: ppm) {
      $0.ptime = ptime
      $0.playoutDelay = playoutDelay
    }
    defer {
      a.stop()
      b.stop()
    }
    for station in [a, b] {
      try station.prepareToSay(speech, loops: true)
      try station.mouth.start()
    }
    pause(seconds: Self.settlingSeconds)
    try measure([a.node, b.node])
  }

  private func measure(_ nodes: [NodeProcess]) throws(RigError) {
    let first = Reading(try nodes.map { node throws(RigError) in try node.status() })
    var last = first
    var (drifts, delays, quiet) = ([Double](), [Double](), 0.0)
    let steps = Int((minutes * 60 / Self.stepSeconds).rounded(.up))
    for step in 1...steps {
      pause(seconds: Self.stepSeconds)
      let statuses = try nodes.map { node throws(RigError) in try node.status() }
      let now = Reading(statuses)
      let peers = statuses.compactMap(\.peers.first)
      drifts += statuses.enumerated().compactMap { index, status in
        status.peers.first?.driftPPM.map { index == 0 ? -$0 : $0 }
      }
      delays += peers.map(\.playoutDelayMilliseconds)
      let glitches =
        now.holes - last.holes + now.splices - last.splices
        + now.concealed - last.concealed
      if glitches == 0 { quiet += 1 }
      last = now
      show(statuses, step: step)
    }
    report(first, last, drifts: drifts, delays: delays, quietShare: quiet / Double(steps))
  }

  private func show(_ statuses: [Status], step: Int) {
    let words = statuses.map { status -> String in
      guard let peer = status.peers.first else { return "no peer" }
      let drift = peer.driftPPM.map { Figures.fixed($0, 1) } ?? "-"
      let lock = peer.isClockLocked == true ? "" : "?"
      return "\(drift)\(lock) ppm \(Figures.fixed(peer.playoutDelayMilliseconds, 2)) ms, "
        + "\(peer.spliced) splices \(peer.underrun) holes \(peer.concealed) concealed "
        + "\(status.audio.xruns) xruns \(status.audio.missedPeriods) missed"
    }
    Console.line(
      "\(Figures.fixed(Double(step) * Self.stepSeconds, 0)) s: "
        + words.joined(separator: " | "))
  }

  private func report(
    _ first: Reading, _ last: Reading, drifts: [Double], delays: [Double], quietShare: Double
  ) {
    let name = "drift.\(Figures.fixed(ppm, 0))ppm"
    let errors = drifts.map { abs($0 - ppm) }
    let delay = Distribution(delays)
    bench.figures.add("\(name).errorMedian", Distribution(errors).median, "ppm")
    bench.figures.add("\(name).errorWorst", errors.max() ?? .nan, "ppm")
    bench.figures.add("\(name).playoutDelayMedian", delay.median, "ms")
    bench.figures.add("\(name).playoutDelayWorst", delays.max() ?? .nan, "ms")
    bench.figures.add("\(name).splices", last.splices - first.splices, "count")
    bench.figures.add("\(name).holes", last.holes - first.holes, "periods")
    bench.figures.add("\(name).concealed", last.concealed - first.concealed, "count")
    bench.figures.add("\(name).late", last.late - first.late, "count")
    bench.figures.add("\(name).missedPeriods", last.missed - first.missed, "count")
    bench.figures.add("\(name).xruns", last.xruns - first.xruns, "count")
    bench.figures.add("\(name).tenSecondsWithoutGlitch", 100 * quietShare, "%")
  }
}
