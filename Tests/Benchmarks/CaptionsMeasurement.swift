import Foundation
import Remote
import StatusSchema
import TestRig

/// A reads aloud over a lossy call of 32 kbit/s, B captions it, and both show it.
struct CaptionsMeasurement {
  /// What is said into.
  enum Part: String, CaseIterable {
    /// Nothing else.
    case clean
    /// Rock at 10 dB below the speech, behind strong suppression.
    case rock
  }

  private struct Limits {
    static let (shownSeconds, finalSeconds) = (1.2, 2.5)
    static let readerMilliseconds = 100.0
    static let errorPercent: [Part: Double] = [.clean: 5, .rock: 12]
  }

  private static let kilobits = "32"
  /// Of the speech, as `corpus.py` makes it; the noise 10 dB below.
  private static let speechLevel: Float = 0.07
  private static let noiseRatio: Float = 0.316
  private static let corpora = ["austen", "dickens"]
  /// After the last word all is final.
  private static let patienceSeconds = 12.0

  let bench: Bench
  let part: Part
  let loss: Int
  let python: String
  let code: String
  let model: String
  let corpus: String

  func run() throws(RigError) {
    var (errors, words) = (0, 0)
    var (shown, settled, final, reader) = ([Double](), [Double](), [Double](), [Double]())
    for name in Self.corpora {
      let judge = try CaptionJudge(path: "\(corpus)/\(name).words")
      let call = try call(name)
      let verdict = judge.judge(call.atCaptioner, began: call.began)
      words += judge.words.count
      errors += verdict.errors
      shown += verdict.shown
      settled += verdict.settled
      final += verdict.final
      reader += Self.delays(call.atCaptioner, call.atReader)
      Console.line("  \(name): \(verdict.errors) errors in \(judge.words.count) words")
    }
    let name = "captions.\(part.rawValue)"
    bench.judge(
      "\(name).wer", Double(errors) / Double(max(words, 1)) * 100, "%",
      atMost: Limits.errorPercent[part] ?? 0)
    let onScreen = Distribution(shown)
    bench.judge("\(name).shown.p50", onScreen.median, "s", atMost: Limits.shownSeconds)
    bench.figures.add("\(name).shown.p95", onScreen.quantile(0.95), "s")
    bench.figures.add("\(name).settled.p50", Distribution(settled).median, "s")
    bench.judge("\(name).final.p50", Distribution(final).median, "s", atMost: Limits.finalSeconds)
    bench.figures.add("\(name).words", Double(shown.count), "count")
    let onLink = Distribution(reader)
    bench.figures.add("\(name).reader.p50", onLink.median * 1000, "ms")
    bench.judge(
      "\(name).reader.p95", onLink.quantile(0.95) * 1000, "ms", atMost: Limits.readerMilliseconds)
  }

  /// How much later the reader shows each version than the captioner, which both show.
  private static func delays(
    _ captioner: [CaptionWatch.Sight], _ reader: [CaptionWatch.Sight]
  ) -> [Double] {
    func versions(_ sights: [CaptionWatch.Sight]) -> [String: Double] {
      sights.reduce(into: [:]) { all, sight in
        let chunk = sight.chunk
        let key = "\(chunk.session) \(chunk.index) \(chunk.isFinal) \(chunk.text)"
        all[key] = min(all[key] ?? .infinity, sight.seconds)
      }
    }
    let later = versions(reader)
    return versions(captioner).compactMap { key, seconds in later[key].map { $0 - seconds } }
  }

  private func call(
    _ name: String
  ) throws(RigError) -> (
    atCaptioner: [CaptionWatch.Sight], atReader: [CaptionWatch.Sight], began: Double
  ) {
    let speech = try speech(name)
    let seconds = Double(speech.count) / Double(Bench.sampleRate)
    let directory = try TemporaryDirectory(prefix: "comlink-captions")
    let suppression = part == .rock ? "strong" : "off"
    let pair = try LinkedPair(
      periodFrames: 256,
      arguments: [
        "--speech-asr", "tcp://127.0.0.1:10300", "--bitrate", Self.kilobits,
        "--voice-suppress", suppression,
      ], linkOptions: ["--loss", "\(loss)", "--seed", "1"], recordSeconds: 1, in: directory)
    defer { pair.stop() }
    let service = try ChildProcess(
      "/usr/bin/env",
      ["ip", "netns", "exec", pair.link.namespace(1), python, "-m", "comlink_speech"]
        + ["--model", model, "--language", "en"],
      environment: ["PYTHONPATH": code, "PYTHONDONTWRITEBYTECODE": "1"],
      outputPath: directory.file("speech.log"))
    defer { service.terminate() }
    try waitUntil("the speech service", within: 60, detail: { service.outputTail() }) {
      () throws(RigError) in
      try service.checkRunning()
      return service.output.contains("ready")
    }
    _ = try pair.b.node.ask(.captions(.begin(line: nil, members: [])))
    let watches = (captioner: CaptionWatch(pair.b.node), reader: CaptionWatch(pair.a.node))
    defer {
      watches.captioner.end()
      watches.reader.end()
    }
    try pair.a.prepareToSay(speech)
    let before = try pair.b.node.status()
    let began = ProcessInfo.processInfo.systemUptime
    try pair.a.mouth.start()
    pause(seconds: seconds + 2)
    let deadline = ProcessInfo.processInfo.systemUptime + Self.patienceSeconds
    while ProcessInfo.processInfo.systemUptime < deadline {
      let open = Dictionary(grouping: watches.reader.sights) { $0.chunk.index }
      if !open.isEmpty, open.values.allSatisfy({ $0.last?.chunk.isFinal == true }) { break }
      pause(seconds: 0.1)
    }
    var late = Lateness()
    late.add(from: before, to: try pair.b.node.status())
    bench.figures.add("captions.\(part.rawValue).\(name).underrun.work", Double(late.own), "count")
    return (watches.captioner.sights, watches.reader.sights, began)
  }

  private func speech(_ name: String) throws(RigError) -> [Float] {
    func samples(_ name: String) throws(RigError) -> [Float] {
      let sound = try WAV.read("\(corpus)/\(name).wav")
      return Sound.resampled(sound.mono, from: sound.sampleRate, to: Bench.sampleRate)
    }
    let speech = try samples(name)
    guard part == .rock else { return speech }
    let noise = Speech.lasting(
      Double(speech.count) / Double(Bench.sampleRate), try samples("rock"))
    let gain = Self.speechLevel * Self.noiseRatio / max(Sound.rootMeanSquare(noise), 1e-6)
    return zip(speech, noise).map { max(-1, min(1, $0 + $1 * gain)) }
  }
}
