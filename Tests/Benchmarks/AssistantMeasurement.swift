import Foundation
import Remote
import StatusSchema
import TestRig

/// Whether spoken calls, whose recogniser, model and speaker compute beside it, hold up the voices at a station.
struct AssistantMeasurement {
  /// What is run beside the station.
  struct Program {
    let command: String
    let arguments: [String]
    var environment: [String: String] = [:]
  }

  /// From one question to the next: it is spoken, thought about, and answered as far as there is time.
  private static let turnSeconds = 12.0
  private static let lookSeconds = 0.25

  let bench: Bench
  let talkers: Int
  let turns: Int
  let speech: Program
  let language: Program
  let question: String

  func run() throws(RigError) {
    let ports = try LoopbackPorts.free(2)
    let recogniser = try start(
      speech, "speech", more: ["--uri", "tcp://127.0.0.1:\(ports[0])"], input: nil)
    defer { recogniser.terminate() }
    // It serves until its input ends.
    let input = Pipe()
    defer { try? input.fileHandleForWriting.close() }
    let model = try start(
      language, "model", more: ["\(ports[1])"], input: input.fileHandleForReading.fileDescriptor)
    defer { model.terminate() }
    let service = "tcp://127.0.0.1:\(ports[0])"
    let station = try CrowdedStation(
      of: bench, talkers: talkers,
      arguments: [
        "--speech-asr", service, "--speech-tts", service,
        "--assistant-url", "http://127.0.0.1:\(ports[1])/v1",
      ])
    defer { station.stop() }
    let bare = try BareClient(of: bench)
    defer { bare.stop() }
    let sound = try WAV.read(question)
    let asked = Sound.resampled(sound.mono, from: sound.sampleRate, to: Bench.sampleRate)
    let silence = Int(Self.turnSeconds * Double(Bench.sampleRate)) - asked.count
    try station.receiver.prepareToSay(
      asked + [Float](repeating: 0, count: max(0, silence)), loops: true)
    try measure("without", station.node, bare) { (delays) throws(RigError) in
      try watch(station.node, seconds: Self.turnSeconds * 2, &delays)
    }
    try measure("with", station.node, bare) { (delays) throws(RigError) in
      let turns = try talk(station, &delays)
      bench.figures.add("assistant.turns", Double(turns), "count")
      bench.doubts.check(
        "only \(turns) of \(self.turns) questions were answered", turns < self.turns - 1)
    }
  }

  private func start(
    _ program: Program, _ name: String, more: [String], input: Int32?
  ) throws(RigError) -> ChildProcess {
    let process = try ChildProcess(
      program.command, program.arguments + more, environment: program.environment,
      outputPath: bench.directory.file("\(name).log"), standardInput: input)
    try waitUntil(name, within: 60, detail: { process.outputTail() }) { () throws(RigError) in
      try process.checkRunning()
      return process.output.contains("ready")
    }
    return process
  }

  /// A call of so many questions.
  ///
  /// - Returns: how many were answered.
  private func talk(
    _ station: CrowdedStation, _ delays: inout [Double]
  ) throws(RigError) -> Int {
    let caller = AssistantCaller()
    _ = try station.node.ask(.assistant(.agree(keeps: true, caller)))
    let answer = try station.node.ask(.assistant(.call(isSpoken: true, caller)))
    guard case .assistant(let answer) = answer, let session = answer.session else {
      throw .status(reason: "\(station.node.name): \(answer)")
    }
    try waitUntil("the assistant to listen", within: 10) { () throws(RigError) in
      try station.node.status().assistant?.state == "listening"
    }
    try station.receiver.mouth.start()
    try watch(station.node, seconds: Self.turnSeconds * Double(turns), &delays)
    station.receiver.mouth.stop()
    _ = try station.node.ask(.assistant(.end(session: session.id, caller)))
    let shown = try station.node.ask(.assistant(.show(session: session.id, caller)))
    guard case .assistant(let shown) = shown else { return 0 }
    return shown.session?.turns?.filter { $0.speaker == "assistant" }.count ?? 0
  }

  /// Looks four times a second at how late each voice is played.
  private func watch(
    _ node: NodeProcess, seconds: Double, _ delays: inout [Double]
  ) throws(RigError) {
    let end = monotonicNanoseconds() + Int64(seconds * 1e9)
    while monotonicNanoseconds() < end {
      pause(seconds: Self.lookSeconds)
      delays += try node.status().peers.map(\.playoutDelayMilliseconds)
    }
  }

  private func measure(
    _ name: String, _ node: NodeProcess, _ bare: BareClient,
    _ body: (inout [Double]) throws(RigError) -> Void
  ) throws(RigError) {
    let (before, xruns) = (try node.status(), bare.xruns)
    var delays: [Double] = []
    try body(&delays)
    bench.figures.add("assistant.\(name).delay", Distribution(delays), "ms")
    let after = try node.status()
    var late = Lateness()
    late.add(from: before, to: after)
    bench.judge("assistant.\(name).underrun.work", Double(late.own), "count", atMost: 0)
    bench.figures.add("assistant.\(name).missedPeriods", Double(late.missed), "count")
    bench.figures.add("assistant.\(name).bare.xruns", Double(bare.xruns - xruns), "count")
  }
}
