import Foundation
import TestRig

/// The same speech over the same network by a program that people use now.
struct RivalCall {
  /// What was heard, and what it cost.
  struct Result {
    var recorded: [Float]
    var expected: [Int]
    var wireKilobits: Double
    var xruns: Int
  }

  let contestant: any Contestant.Type
  let speech: QualitySpeech
  let periodFrames: Int
  let seed: Int

  /// Starts servers, network and program, lets the first end say everything, and ends them; takes root.
  ///
  /// - Throws: `RigError`.
  func result(over options: [String]) throws(RigError) -> Result {
    let directory = try TemporaryDirectory(prefix: "comlink-rival")
    let link = try LinkProcess(options + ["--seed", "\(seed)"], in: directory)
    defer { _ = link.end() }
    let servers = (
      try JackServer("comlink-A", periodFrames: periodFrames, in: directory),
      try JackServer("comlink-B", periodFrames: periodFrames, in: directory)
    )
    defer {
      servers.0.stop()
      servers.1.stop()
    }
    let seconds = Double(speech.samples.count) / 48_000 + 5
    let mouth = try Probe(
      server: servers.0.name, name: "mouth", inputs: 0, outputs: 1, recordSeconds: seconds)
    let ear = try Probe(
      server: servers.1.name, name: "ear", inputs: 1, outputs: 0, recordSeconds: seconds)
    defer {
      mouth.stop()
      ear.stop()
    }
    let running = try contestant.init(
      at: (
        ContestantEnd(
          server: servers.0, namespace: link.namespace(0), address: link.address(0)),
        ContestantEnd(
          server: servers.1, namespace: link.namespace(1), address: link.address(1))
      ), probes: (mouth, ear), in: directory)
    defer { running.stop() }
    try mouth.setSource(speech.samples)
    try mouth.connect("mouth:out_0", to: running.microphones.0)
    try ear.connect(running.voices.1, to: "ear:in_0")
    let device = TalkerDevice(namespace: link.namespace(0), directory: directory)
    try ear.start()
    try mouth.start()
    pause(seconds: speech.judgedSeconds.begin)
    let before = try device.read()
    let judgedSeconds = speech.judgedSeconds.end - speech.judgedSeconds.begin
    pause(seconds: judgedSeconds)
    let after = try device.read()
    pause(seconds: 0.8)
    let xruns = mouth.xruns + ear.xruns
    mouth.stop()
    ear.stop()
    return Result(
      recorded: ear.recording(0), expected: speech.places(playedBy: mouth, recordedBy: ear),
      wireKilobits: Double(after.octets - before.octets) * 8 / 1000 / judgedSeconds, xruns: xruns)
  }
}
