import Remote
import StatusSchema
import TestKit
import TestRig

/// Speech both ways between two servers of which one's clock runs faster, and what became of it.
struct DriftMeasurement {
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
    let first = try Self.count(try Self.statuses(of: nodes))
    var last = first
    var (stretches, drifts, delays) = ([GlitchCount](), [Double](), [Double]())
    let steps = Int((minutes * 60 / Self.stepSeconds).rounded(.up))
    for step in 1...steps {
      pause(seconds: Self.stepSeconds)
      let statuses = try Self.statuses(of: nodes)
      let now = try Self.count(statuses)
      drifts += statuses.enumerated().compactMap { index, status in
        status.peers.first?.driftPPM.map { index == 0 ? -$0 : $0 }
      }
      delays += statuses.flatMap(\.peers).map(\.playoutDelayMilliseconds)
      stretches.append(now.since(last))
      last = now
      show(statuses, step: step)
    }
    report(last.since(first), stretches, drifts: drifts, delays: delays)
  }

  private static func statuses(of nodes: [NodeProcess]) throws(RigError) -> [Status] {
    try nodes.map { node throws(RigError) in try node.status() }
  }

  /// - Throws: where a node lost its peer, as that one's counts are lost with it.
  private static func count(_ statuses: [Status]) throws(RigError) -> GlitchCount {
    guard let count = GlitchCount(statuses) else {
      let peers = statuses.map { "\($0.node.name) has \($0.peers.count)" }
      throw .status(
        reason: "each node is to have one peer; " + peers.joined(separator: ", "))
    }
    return count
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
    _ total: GlitchCount, _ stretches: [GlitchCount], drifts: [Double], delays: [Double]
  ) {
    let name = "drift.\(Figures.fixed(ppm, 0))ppm"
    let errors = drifts.map { abs($0 - ppm) }
    let quiet = stretches.count { $0.glitches == 0 }
    bench.judge("\(name).errorMedian", Distribution(errors).median, "ppm", atMost: 5)
    bench.figures.add("\(name).errorWorst", errors.max() ?? .nan, "ppm")
    bench.figures.add("\(name).playoutDelayMedian", Distribution(delays).median, "ms")
    bench.figures.add("\(name).playoutDelayWorst", delays.max() ?? .nan, "ms")
    bench.figures.add("\(name).splices", Double(total.splices), "count")
    bench.figures.add("\(name).holes", Double(total.holes), "periods")
    bench.figures.add("\(name).concealed", Double(total.concealed), "count")
    bench.figures.add("\(name).late", Double(total.late), "count")
    bench.figures.add("\(name).missedPeriods", Double(total.missedPeriods), "count")
    bench.figures.add("\(name).xruns", Double(total.xruns), "count")
    bench.figures.add("\(name).holesByMachine", Double(total.excusedHoles), "periods")
    bench.figures.add(
      "\(name).tenSecondsWithoutGlitch", 100 * Double(quiet) / Double(stretches.count), "%")
    bench.judge("\(name).glitches", Double(total.unexcused), "count", atMost: 0)
  }
}
