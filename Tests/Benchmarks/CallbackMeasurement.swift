import Remote
import StatusSchema
import TestRig

/// A node that hears eight talkers, and a bare client on a server of its own in the same seconds.
struct CallbackMeasurement {
  let bench: Bench
  let seconds: Double

  func run() throws(RigError) {
    let port = try LoopbackPorts.free(1)[0]
    let receiver = try Station(
      "R", periodFrames: bench.options.period, options: NodeProcess.Options(port: port),
      recordSeconds: 1, in: bench.directory)
    let talkers = try TalkerGroup(to: receiver.node, at: port, maximum: 8, in: bench.directory)
    try talkers.grow(to: 8)
    try receiver.node.waitUntilConnected(peers: 8, within: 20)

    let before = try receiver.node.status()
    let bare = try BareClient(of: bench)
    bench.wait("eight talkers", seconds: seconds)
    let after = try receiver.node.status()
    let bareXruns = bare.xruns
    talkers.stop()
    receiver.stop()
    bare.stop()

    let figures = bench.figures
    figures.add("callback.peers8.mean", after.audio.callbackMeanMicroseconds, "us")
    figures.add("callback.peers8.worst", after.audio.callbackWorstMicroseconds, "us")
    bench.judge("callback.peers8.load", after.audio.callbackLoadPercent, "%", atMost: 2)
    figures.add(
      "callback.peers8.xruns", Double(after.audio.xruns - before.audio.xruns), "count")
    figures.add("callback.bare.xruns", Double(bareXruns), "count")
    figures.add("callback.wakeLatency.p50", after.loop.wakeLatencyP50Microseconds, "us")
    figures.add("callback.wakeLatency.p99", after.loop.wakeLatencyP99Microseconds, "us")
  }
}
