import Remote
import StatusSchema
import TestRig

/// A station that so many talk to, on real JACK.
struct CrowdedStation {
  /// Talkers may need so long to be connected on a busy machine, seconds.
  private static let patience = 60.0

  let receiver: Station
  let group: TalkerGroup
  /// Where its page is; nil: it has none.
  let pagePort: Int?

  /// Starts them, and waits until all are connected.
  ///
  /// - Parameters:
  ///   - hasPage: whether it has a page, on a port that is not its own.
  ///   - arguments: more of the station's.
  init(
    of bench: Bench, talkers: Int, hasPage: Bool = false, arguments: [String] = []
  ) throws(RigError) {
    let ports = try LoopbackPorts.free(hasPage ? 3 : 1)
    let port = ports[0]
    pagePort = hasPage ? ports[1] : nil
    let page =
      hasPage
      ? ["--page", "127.0.0.1:\(ports[1])", "--page-trust", "127.0.0.1:\(ports[2])"] : []
    var options = NodeProcess.Options(port: port)
    options.arguments = page + arguments
    receiver = try Station(
      "R", periodFrames: bench.options.period, options: options,
      recordSeconds: 1, in: bench.directory)
    group = try TalkerGroup(to: receiver.node, at: port, maximum: talkers, in: bench.directory)
    try group.grow(to: talkers)
    try receiver.node.waitUntilConnected(peers: talkers, within: Self.patience)
  }

  var node: NodeProcess { receiver.node }

  func stop() {
    group.stop()
    receiver.stop()
  }
}

/// What a node itself was too late with, and periods that JACK ran without it.
struct Lateness {
  var (own, missed) = (0, 0)

  /// From one status of a node to a later one.
  mutating func add(from before: Status, to after: Status) {
    func late(_ status: Status) -> Int {
      (status.audio.underruns?["work"] ?? 0) + status.audio.captureOverruns
    }
    own += late(after) - late(before)
    missed += after.audio.missedPeriods - before.audio.missedPeriods
  }
}
