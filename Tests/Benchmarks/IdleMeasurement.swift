import TestRig

/// One node without peers.
struct IdleMeasurement {
  /// Paths of what JACK maps into each of its clients.
  static let jackMappings = ["/dev/shm/jack"]

  let bench: Bench
  let seconds: Double

  func run() throws(RigError) {
    let port = try LoopbackPorts.free(1)[0]
    let station = try Station(
      "I", periodFrames: bench.options.period, options: NodeProcess.Options(port: port),
      recordSeconds: 1, in: bench.directory)
    try station.node.waitUntilConnected(peers: 0, within: 10)
    pause(seconds: 1)
    let process = station.node.process
    guard let before = ProcessUsage(of: process.identifier) else {
      throw .status(reason: "no CPU figures of an idle node")
    }
    bench.wait("idle", seconds: seconds)
    try process.checkRunning()
    guard let after = ProcessUsage(of: process.identifier),
      let whole = ProcessUsage.proportionalSetMegabytes(of: process.identifier),
      let own = ProcessUsage.proportionalSetMegabytes(
        of: process.identifier, excluding: Self.jackMappings)
    else { throw .status(reason: "no memory figures of an idle node") }
    station.stop()
    bench.figures.add("idle.cpu", after.cpuPercent(since: before), "%")
    bench.figures.add("idle.pss", whole, "MB")
    bench.judge("idle.pssBeyondJACK", own, "MB", atMost: 25)
    bench.figures.add("idle.threads", Double(after.threads.count), "count")
  }
}
