import TestRig

/// One run of the bench: its folder, its figures and what measurements need in common.
struct Bench {
  /// Frames per second of every server here.
  static let sampleRate = 48_000
  /// Opus's look-ahead in milliseconds by application (RFC 6716 §2; as measured, see OpusEncoder).
  static let lookaheadMilliseconds = ["lowdelay": 2.5, "voip": 6.5]

  let options: BenchOptions
  let figures = Figures()
  /// Why figures of this run do not count.
  let doubts = Doubts()
  let directory: TemporaryDirectory

  init(options: BenchOptions) throws(RigError) {
    self.options = options
    directory = try TemporaryDirectory(prefix: "comlink-bench")
  }

  /// Two stations that know each other; `configure` changes what both are started with.
  func pair(
    recordSeconds: Double, driftPPM: Double = 0, isViaPlugin: Bool = false,
    _ configure: (inout NodeProcess.Options) -> Void
  ) throws(RigError) -> (a: Station, b: Station) {
    let ports = try LoopbackPorts.free(2)
    var optionsA = NodeProcess.Options(port: ports[0])
    var optionsB = NodeProcess.Options(port: ports[1])
    optionsA.peerPorts = [ports[1]]
    configure(&optionsA)
    configure(&optionsB)
    let a = try Station(
      "A", periodFrames: options.period, options: optionsA, recordSeconds: recordSeconds,
      driftPPM: driftPPM, isViaPlugin: isViaPlugin, in: directory)
    let b = try Station(
      "B", periodFrames: options.period, options: optionsB, recordSeconds: recordSeconds,
      isViaPlugin: isViaPlugin, in: directory)
    try a.node.waitUntilConnected(peers: 1, within: 10)
    try b.node.waitUntilConnected(peers: 1, within: 10)
    return (a, b)
  }

  /// Adds a figure and the limit that it must keep: the run fails where it does not, or is unknown.
  func judge(_ name: String, _ value: Double, _ unit: String, atMost limit: Double) {
    figures.add(name, value, unit)
    self.limit(name, value, unit, atMost: limit)
  }

  /// Adds the limit only, as the figure itself is among others already.
  func limit(_ name: String, _ value: Double, _ unit: String, atMost limit: Double) {
    figures.add("\(name).limit", limit, unit)
    let shown = value.isFinite ? "\(Figures.fixed(value, 2)) \(unit)" : "unknown, or never"
    doubts.check(
      "\(name) is \(shown); at most \(Figures.fixed(limit, 2)) \(unit) are allowed",
      !(value <= limit))
  }

  /// Sleeps and says every few seconds how far it is.
  func wait(_ what: String, seconds: Double, each step: Double = 5) {
    var done = 0.0
    while done < seconds {
      let next = min(step, seconds - done)
      pause(seconds: next)
      done += next
      Console.line("  ... \(what) \(Int(done.rounded()))/\(Int(seconds.rounded())) s")
    }
  }
}
