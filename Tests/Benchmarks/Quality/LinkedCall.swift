import Foundation
import Remote
import StatusSchema
import TestKit
import TestRig

/// A talks to B over the emulated link, on two real JACK servers.
struct LinkedCall {
  private struct Device: Decodable {
    struct Statistics: Decodable {
      struct Counter: Decodable {
        var bytes: Int
        var packets: Int
      }
      var tx: Counter
    }
    var stats64: Statistics
  }

  private static let ethernetOctets = 14

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
    var statuses = [try status()]
    let (before, begin) = (try sent(), monotonicSeconds())
    while monotonicSeconds() < start + judged.end {
      pause(seconds: min(1, max(0, start + judged.end - monotonicSeconds())))
      statuses.append(try status())
    }
    let (after, end) = (try sent(), monotonicSeconds())
    pause(seconds: 0.8)
    let xruns = a.mouth.xruns + b.ear.xruns
    a.mouth.stop()
    b.ear.stop()
    let packets = after.packets - before.packets
    let reading = QualityReading(
      expected: expected(), statuses: statuses, packets: packets,
      octets: after.bytes - before.bytes - packets * Self.ethernetOctets, seconds: end - begin,
      xruns: xruns)
    return (b.ear.recording(0), reading)
  }

  /// Ends everything.
  func stop() { pair.stop() }

  /// Where in the recording what was played at the same moment is.
  private func expected() -> [Int] {
    let (played, recorded) = (a.mouth.playedTimeLine, b.ear.recordedTimeLine)
    return speech.starts.map { start in
      played.nanoseconds(at: Double(start)).flatMap { recorded.position(at: $0) }.map { Int($0) }
        ?? start
    }
  }

  private func status() throws(RigError) -> PeerStatus {
    guard let peer = try b.node.status().peers.first else {
      throw .status(reason: "B has lost its peer\n\(b.node.process.outputTail())")
    }
    return peer
  }

  private func sent() throws(RigError) -> Device.Statistics.Counter {
    let command = try ChildProcess(
      "ip",
      ["-netns", pair.link.namespace(0), "-statistics", "-json", "link", "show", "dev", "eth0"],
      outputPath: directory.file("device.json"))
    guard try command.wait(within: 5) == 0,
      let device = try? JSONDecoder().decode([Device].self, from: Data(command.output.utf8)).first
    else { throw .status(reason: "the counters of A's device: \(command.outputTail())") }
    return device.stats64.tx
  }

  private func monotonicSeconds() -> Double { ProcessInfo.processInfo.systemUptime }
}
