import Remote
import StatusSchema
import TestRig

/// Looks at both nodes of a long talk again and again, and judges what grew.
struct SoakMeasurement {
  /// What one interval showed, of both nodes the worse.
  private struct Interval {
    var memoryMegabytes: Double
    var playoutDelay: Double
    /// Codec frames made up and periods without sound.
    var glitches: Double
    var lostPercent: Double
    var xruns: Double
    var cpuPercent: Double
  }

  /// A node at a moment.
  private struct Reading {
    var usage: ProcessUsage
    var memoryMegabytes: Double
    var status: Status
    var peer: PeerStatus
  }

  /// A growth within these is what two equal thirds of a talk differ by anyway.
  private static let memoryAllowance = 1.0
  private static let delayAllowance = 10.0
  private static let glitchFactor = 1.5
  private static let intervals = 24

  let bench: Bench
  let minutes: Double
  let driftPPM: Double
  let linkOptions: [String]

  func run() throws(RigError) {
    let speech = try Speech.sentences()
    let pair = try LinkedPair(
      periodFrames: bench.options.givenPeriod ?? 256, arguments: ["--ptime", "10"],
      linkOptions: linkOptions, recordSeconds: 1, driftPPM: driftPPM, in: bench.directory)
    defer { pair.stop() }
    for station in [pair.a, pair.b] {
      try station.prepareToSay(speech, loops: true)
      try station.mouth.start()
    }
    // What starts, fills and settles is no growth.
    bench.wait("settling", seconds: 10, each: 10)
    let nodes = [pair.a.node, pair.b.node]
    var before = try nodes.map(read)
    var history: [Interval] = []
    let seconds = minutes * 60 / Double(Self.intervals)
    for _ in 0..<Self.intervals {
      pause(seconds: seconds)
      let after = try nodes.map(read)
      history.append(interval(before, after))
      before = after
      show(history, everySeconds: seconds)
    }
    judge(history)
  }

  private func read(_ node: NodeProcess) throws(RigError) -> Reading {
    let status = try node.status()
    let identifier = node.process.identifier
    guard let peer = status.peers.first else {
      throw .status(reason: "\(node.name) has lost its peer\n\(node.process.outputTail())")
    }
    guard let usage = ProcessUsage(of: identifier),
      let memory = ProcessUsage.proportionalSetMegabytes(
        of: identifier, excluding: IdleMeasurement.jackMappings)
    else { throw .status(reason: "no figures of \(node.name)") }
    return Reading(usage: usage, memoryMegabytes: memory, status: status, peer: peer)
  }

  private func interval(_ before: [Reading], _ after: [Reading]) -> Interval {
    func worst(_ value: (Reading, Reading) -> Double) -> Double {
      zip(before, after).map(value).max() ?? .nan
    }
    return Interval(
      memoryMegabytes: worst { $1.memoryMegabytes },
      playoutDelay: worst { $1.peer.playoutDelayMilliseconds },
      glitches: worst {
        Double($1.peer.concealed - $0.peer.concealed + $1.peer.underrun - $0.peer.underrun)
      },
      lostPercent: worst {
        let lost = Double($1.peer.lost - $0.peer.lost)
        return lost * 100 / max(1, lost + Double($1.peer.received - $0.peer.received))
      },
      xruns: worst { Double($1.status.audio.xruns) - Double($0.status.audio.xruns) },
      cpuPercent: worst { $1.usage.cpuPercent(since: $0.usage) })
  }

  /// A line an interval, so that an hour can be watched.
  private func show(_ history: [Interval], everySeconds seconds: Double) {
    guard let last = history.last else { return }
    let minute = Figures.fixed(Double(history.count) * seconds / 60, 1)
    Console.line(
      "minute \(minute): memory \(Figures.fixed(last.memoryMegabytes, 2)) MB, "
        + "playout delay \(Figures.fixed(last.playoutDelay, 1)) ms, "
        + "glitches \(Figures.fixed(last.glitches, 0)), lost \(Figures.fixed(last.lostPercent, 2)) %, "
        + "xruns \(Figures.fixed(last.xruns, 0)), CPU \(Figures.fixed(last.cpuPercent, 1)) %")
  }

  /// The last third against the first, by medians: a machine that stalls once is no growth.
  private func judge(_ history: [Interval]) {
    let third = history.count / 3
    func medians(_ value: (Interval) -> Double) -> (first: Double, last: Double) {
      (
        Distribution(history.prefix(third).map(value)).median,
        Distribution(history.suffix(third).map(value)).median
      )
    }
    let memory = medians(\.memoryMegabytes)
    let delay = medians(\.playoutDelay)
    let glitches = medians(\.glitches)
    for (name, pair, unit) in [
      ("memory", memory, "MB"), ("playoutDelay", delay, "ms"), ("glitches", glitches, "count"),
    ] {
      bench.figures.add("soak.\(name).firstThird", pair.first, unit)
      bench.figures.add("soak.\(name).lastThird", pair.last, unit)
    }
    bench.figures.add("soak.xruns", history.reduce(0) { $0 + $1.xruns }, "count")
    bench.doubts.check("memory grew", memory.last > memory.first + Self.memoryAllowance)
    bench.doubts.check("the playout delay grew", delay.last > delay.first + Self.delayAllowance)
    // Chance alone makes a count differ by its root.
    let chance = 3 * max(glitches.first, 1).squareRoot()
    bench.doubts.check(
      "glitches grew", glitches.last > Self.glitchFactor * glitches.first + chance)
  }
}
