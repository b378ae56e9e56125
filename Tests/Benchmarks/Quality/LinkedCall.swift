import Foundation
import Remote
import StatusSchema
import TestKit
import TestRig

/// A talks to B over the emulated link, on two real JACK servers.
struct LinkedCall {
  let directory: TemporaryDirectory
  private let pair: LinkedPair
  private let speech: QualitySpeech
  private var a: Station { pair.a }
  private var b: Station { pair.b }

  /// Starts link, servers and nodes, and waits until the nodes are connected.
  init(
    _ speech: QualitySpeech, profile: QualityProfile, periodFrames: Int, over options: [String],
    seed: Int
  ) throws(RigError) {
    self.speech = speech
    directory = try TemporaryDirectory(prefix: "comlink-quality")
    pair = try LinkedPair(
      periodFrames: periodFrames, arguments: profile.arguments,
      linkOptions: options + ["--seed", "\(seed)"],
      recordSeconds: Double(speech.samples.count) / 48_000 + 5, in: directory)
  }

  /// Lets A say everything, and looks at B meanwhile.
  ///
  /// - Throws: `RigError`.
  func run() throws(RigError) -> (recorded: [Float], reading: QualityReading) {
    try a.prepareToSay(speech.samples)
    try b.listen(to: ["peer_A"])
    try b.ear.start()
    try a.mouth.start()
    let start = monotonicSeconds()
    let judged = speech.judgedSeconds
    pause(seconds: judged.begin)
    var looks = [try look()]
    let device = TalkerDevice(namespace: pair.link.namespace(0), directory: directory)
    let (before, begin) = (try device.read(), monotonicSeconds())
    while monotonicSeconds() < start + judged.end {
      pause(seconds: min(0.1, max(0, start + judged.end - monotonicSeconds())))
      looks.append(try look())
    }
    let (after, end) = (try device.read(), monotonicSeconds())
    pause(seconds: 0.8)
    let xruns = a.mouth.xruns + b.ear.xruns
    a.mouth.stop()
    b.ear.stop()
    _ = pair.link.end()
    var reading = QualityReading(
      expected: speech.places(playedBy: a.mouth, recordedBy: b.ear),
      statuses: looks.map(\.status),
      packets: after.packets - before.packets, octets: after.octets - before.octets,
      seconds: end - begin, xruns: xruns)
    reading.concealedOutsidePercent = QualityLook.concealedOutside(
      try pair.link.droughts(to: 1), looks)
    return (b.ear.recording(0), reading)
  }

  /// Ends everything.
  func stop() { pair.stop() }

  private func look() throws(RigError) -> QualityLook {
    let begin = monotonicNanoseconds()
    guard let peer = try b.node.status().peers.first else {
      throw .status(reason: "B has lost its peer\n\(b.node.process.outputTail())")
    }
    return QualityLook(moment: begin...monotonicNanoseconds(), status: peer)
  }

  private func monotonicSeconds() -> Double { ProcessInfo.processInfo.systemUptime }
}
