import StatusSchema
import Testing

@testable import TestRig

/// `A` talks to `B` without end, each names the other, and `B`'s ear tells whether that is still understood.
///
/// Periods of 256: what is judged is that sound goes on, not its latency, on machines that are busy.
struct OngoingTalk {
  /// What the ear heard while something happened.
  struct Hearing {
    /// Pieces of speech said meanwhile.
    var segments: Int
    /// How much of them was heard as it was said, 0...1.
    var understoodShare: Double
    /// Packets that came from `A`.
    var received: Int
    /// Those that did not.
    var lost: Int
    /// Those whose sound `B` had to make up, as they were not there at their turn.
    var concealed: Int

    /// Of the packets that were to be heard, how many were made up, 0...1.
    var concealedShare: Double { Double(concealed) / Double(max(received + lost, 1)) }

    /// Whether a listener would call it an undisturbed talk, on a machine that stalls at times.
    var isUndisturbed: Bool {
      segments >= 5 && understoodShare >= 0.75 && received > 100
        && Double(lost) <= 0.05 * Double(received) && concealedShare <= 0.1
    }
  }

  let a: Station
  let b: Station
  /// Of a long hearing only the end is correlated, which takes a while.
  private static let judgedSeconds = 3.5
  /// `B`'s UDP port.
  let portOfB: Int
  private let speech: [Float]
  private let optionsOfA: NodeProcess.Options
  private let directory: TemporaryDirectory

  /// Starts both and waits until `B` receives `A`'s speech.
  init(
    environmentOfA: [String: String] = [:], environmentOfB: [String: String] = [:],
    argumentsOfB: [String] = [], recordSeconds: Double = 60, in directory: TemporaryDirectory
  ) throws(RigError) {
    let ports = try LoopbackPorts.free(2)
    var optionsA = NodeProcess.Options(port: ports[0])
    optionsA.peerPorts = [ports[1]]
    optionsA.environment = environmentOfA
    var optionsB = NodeProcess.Options(port: ports[1])
    optionsB.peerPorts = [ports[0]]
    optionsB.arguments = argumentsOfB
    optionsB.environment = environmentOfB
    portOfB = ports[1]
    optionsOfA = optionsA
    self.directory = directory
    a = try Station(
      "A", periodFrames: 256, options: optionsA, recordSeconds: recordSeconds, in: directory)
    b = try Station(
      "B", periodFrames: 256, options: optionsB, recordSeconds: recordSeconds, in: directory)
    speech = try Speech.sentences()
    try a.node.waitUntilConnected(peers: 1, within: 30)
    try b.node.waitUntilConnected(peers: 1, within: 30)
    try a.prepareToSay(speech, loops: true)
    try b.listen(to: ["peer_A"])
    try a.mouth.start()
    try Self.waitForSpeech(in: b.node)
  }

  /// Judges what `B` hears of at least so many seconds, from the beginning of `action`.
  func hearing(
    seconds: Double = 4, while action: () throws -> Void = {}
  ) throws -> Hearing {
    let before = try Self.peerA(of: b.node)
    let start = monotonicNanoseconds()
    try b.ear.start()
    try a.mouth.start()
    try action()
    try waitUntil("\(seconds) s of sound", within: 60 + seconds) { () throws(RigError) in
      b.ear.recordedFrames > Int(seconds * 48_000)
    }
    let elapsed = Double(monotonicNanoseconds() - start) / 1e9
    let after = try Self.peerA(of: b.node)
    a.mouth.stop()
    b.ear.stop()
    let segments = Correlator(sampleRate: 48_000).measure(
      source: speech, played: a.mouth.playedTimeLine, recording: b.ear.recording(),
      recorded: b.ear.recordedTimeLine,
      skippingSeconds: max(0.5, elapsed - Self.judgedSeconds))
    return Hearing(
      segments: segments.count, understoodShare: segments.understoodShare(),
      received: after.received - before.received, lost: after.lost - before.lost,
      concealed: after.concealed - before.concealed)
  }

  /// Starts `A` anew where it ended, and waits until `B` receives it.
  func comesBack() throws(RigError) -> NodeProcess {
    let successor = try NodeProcess("A", on: a.server, options: optionsOfA, in: directory)
    try b.node.waitUntilConnected(peers: 1, within: 30)
    try a.mouth.waitForPort(successor.port("mic"), within: 10)
    try a.mouth.connect("mouth:out_0", to: successor.port("mic"))
    try a.mouth.start()
    try Self.waitForSpeech(in: b.node)
    return successor
  }

  private static func waitForSpeech(in node: NodeProcess) throws(RigError) {
    try waitUntil("A's speech in \(node.name)", within: 30) { () throws(RigError) in
      try peerA(of: node).received > 100
    }
  }

  /// What a node says of its peer `A`.
  ///
  /// - Throws: `RigError.status` when it does not know one.
  static func peerA(of node: NodeProcess) throws(RigError) -> PeerStatus {
    guard let peer = try node.status().peers.first(where: { $0.name == "A" }) else {
      throw .status(reason: "\(node.name) has no peer A")
    }
    return peer
  }
}
