import Foundation
import Remote
import StatusSchema
import TestRig

/// A reads aloud over a lossy call of 32 kbit/s, B captions it, and both show it.
struct CaptionsMeasurement {
  /// What is said into, and over which network.
  enum Part: String, CaseIterable {
    /// Nothing else, over the lossy call.
    case clean
    /// Rock at 10 dB below the speech, behind strong suppression, over the lossy call.
    case rock
    /// Nothing else, over a network that loses nothing: how soon a reader has it.
    case lan
    /// B itself reads aloud, and the network is cut for ten seconds: whether the reader has all of it.
    case outage
  }

  private struct Limits {
    static let (shownSeconds, finalSeconds) = (1.2, 2.5)
    static let readerMilliseconds = 100.0
    static let errorPercent: [Part: Double] = [.clean: 5, .lan: 5, .rock: 12]
  }

  /// A call, and what both ends showed of it.
  private struct Call {
    var atCaptioner: [CaptionWatch.Sight] = []
    var atReader: [CaptionWatch.Sight] = []
    /// When the recording began to be said.
    var began = 0.0
  }

  private static let kilobits = "32"
  /// Of the speech, as `corpus.py` makes it; the noise 10 dB below.
  private static let speechLevel: Float = 0.07
  private static let noiseRatio: Float = 0.316
  private static let corpora = ["austen", "dickens"]
  /// After the last word all is final.
  private static let patienceSeconds = 12.0
  /// The network is away from the one to the other, seconds since the reading began.
  private static let outage = (from: 8.0, to: 18.0)

  let bench: Bench
  let part: Part
  let loss: Int
  let python: String
  let code: String
  let model: String
  let corpus: String

  private var figure: String { "captions.\(part.rawValue)" }

  func run() throws(RigError) {
    guard part != .outage else { return judgeOutage(try call("dickens")) }
    var (errors, words) = (0, 0)
    var (shown, settled, final, reader) = ([Double](), [Double](), [Double](), [Double]())
    for name in part == .lan ? ["dickens"] : Self.corpora {
      let judge = try CaptionJudge(path: "\(corpus)/\(name).words")
      let call = try call(name)
      let verdict = judge.judge(call.atCaptioner, began: call.began)
      words += judge.words.count
      errors += verdict.errors
      shown += verdict.shown
      settled += verdict.settled
      final += verdict.final
      reader += Self.delays(call)
      Console.line("  \(name): \(verdict.errors) errors in \(judge.words.count) words")
    }
    bench.judge(
      "\(figure).wer", Double(errors) / Double(max(words, 1)) * 100, "%",
      atMost: Limits.errorPercent[part] ?? 0)
    let onScreen = Distribution(shown)
    bench.judge("\(figure).shown.p50", onScreen.median, "s", atMost: Limits.shownSeconds)
    bench.figures.add("\(figure).shown.p95", onScreen.quantile(0.95), "s")
    bench.figures.add("\(figure).settled.p50", Distribution(settled).median, "s")
    bench.judge("\(figure).final.p50", Distribution(final).median, "s", atMost: Limits.finalSeconds)
    bench.figures.add("\(figure).words", Double(shown.count), "count")
    judgeReader(Distribution(reader))
  }

  private func judgeReader(_ delays: Distribution) {
    bench.figures.add("\(figure).reader.p50", delays.median * 1000, "ms")
    let late = delays.quantile(0.95) * 1000
    // What is lost on the way is sent again: the limit is that of a LAN.
    guard part == .lan else { return bench.figures.add("\(figure).reader.p95", late, "ms") }
    bench.judge("\(figure).reader.p95", late, "ms", atMost: Limits.readerMilliseconds)
  }

  /// What the reader has in the end is what the captioner has, to the last word.
  private func judgeOutage(_ call: Call) {
    func texts(_ sights: [CaptionWatch.Sight]) -> [String: String] {
      sights.reduce(into: [:]) { texts, sight in
        guard sight.chunk.isFinal else { return }
        texts["\(sight.chunk.session) \(sight.chunk.index)"] = sight.chunk.text
      }
    }
    let (all, shown) = (texts(call.atCaptioner), texts(call.atReader))
    let differing = Set(all.keys).union(shown.keys).filter { all[$0] != shown[$0] }.count
    bench.figures.add("\(figure).chunks", Double(all.count), "count")
    bench.judge("\(figure).differing", all.isEmpty ? .nan : Double(differing), "count", atMost: 0)
    let joined = call.began + Self.outage.to
    let read = Self.versions(call.atReader)
    let missed = Self.versions(call.atCaptioner).filter { $0.value < joined }
      .compactMap { read[$0.key] }.filter { $0 >= joined }
    bench.figures.add("\(figure).caughtUp", (missed.max() ?? .nan) - joined, "s")
  }

  /// How much later the reader shows each version than the captioner, which both show.
  private static func delays(_ call: Call) -> [Double] {
    let later = versions(call.atReader)
    return versions(call.atCaptioner).compactMap { key, seconds in
      later[key].map { $0 - seconds }
    }
  }

  /// Each version of each chunk, and when it was there.
  private static func versions(_ sights: [CaptionWatch.Sight]) -> [String: Double] {
    sights.reduce(into: [:]) { all, sight in
      let chunk = sight.chunk
      let key = "\(chunk.session) \(chunk.index) \(chunk.isFinal) \(chunk.text)"
      all[key] = min(all[key] ?? .infinity, sight.seconds)
    }
  }

  private func call(_ name: String) throws(RigError) -> Call {
    let speech = try speech(name)
    let directory = try TemporaryDirectory(prefix: "comlink-captions")
    let pair = try LinkedPair(
      periodFrames: 256,
      arguments: [
        "--speech-asr", "tcp://127.0.0.1:10300", "--bitrate", Self.kilobits,
        "--voice-suppress", part == .rock ? "strong" : "off",
      ], linkOptions: ["--loss", part == .lan ? "0" : "\(loss)", "--seed", "1"], recordSeconds: 1,
      in: directory)
    defer { pair.stop() }
    let service = try service(pair.link, in: directory)
    defer { service.terminate() }
    _ = try pair.b.node.ask(.captions(.begin(line: nil, members: [])))
    let watches = (captioner: CaptionWatch(pair.b.node), reader: CaptionWatch(pair.a.node))
    defer {
      watches.captioner.end()
      watches.reader.end()
    }
    let talker = part == .outage ? pair.b : pair.a
    try talker.prepareToSay(speech)
    if part == .rock {
      let problem = try talker.node.status().node.voice?.problem
      bench.doubts.check("suppression is not strong: \(problem ?? "")", problem != nil)
    }
    let before = try pair.b.node.status()
    var call = Call()
    call.began = ProcessInfo.processInfo.systemUptime
    try talker.mouth.start()
    try listen(for: Double(speech.count) / Double(Bench.sampleRate) + 2, pair.link)
    waitForEnd(watches.captioner, watches.reader)
    try judgeVoice(name, before, try pair.b.node.status())
    (call.atCaptioner, call.atReader) = (watches.captioner.sights, watches.reader.sights)
    return call
  }

  private func service(
    _ link: LinkProcess, in directory: TemporaryDirectory
  ) throws(RigError) -> ChildProcess {
    let service = try ChildProcess(
      "/usr/bin/env",
      ["ip", "netns", "exec", link.namespace(1), python, "-m", "comlink_speech"]
        + ["--model", model, "--language", "en"],
      environment: ["PYTHONPATH": code, "PYTHONDONTWRITEBYTECODE": "1"],
      outputPath: directory.file("speech.log"))
    try waitUntil("the speech service", within: 60, detail: { service.outputTail() }) {
      () throws(RigError) in
      try service.checkRunning()
      return service.output.contains("ready")
    }
    return service
  }

  /// Waits while it is said; of an outage the network, too.
  private func listen(for seconds: Double, _ link: LinkProcess) throws(RigError) {
    guard part == .outage else { return pause(seconds: seconds) }
    pause(seconds: Self.outage.from)
    try link.split([[0], [1]])
    pause(seconds: Self.outage.to - Self.outage.from)
    try link.join()
    pause(seconds: seconds - Self.outage.to)
  }

  private func waitForEnd(_ captioner: CaptionWatch, _ reader: CaptionWatch) {
    func isFinal(_ watch: CaptionWatch) -> Bool {
      let open = Dictionary(grouping: watch.sights) { $0.chunk.index }
      return !open.isEmpty && open.values.allSatisfy { $0.last?.chunk.isFinal == true }
    }
    let deadline = ProcessInfo.processInfo.systemUptime + Self.patienceSeconds
    while ProcessInfo.processInfo.systemUptime < deadline {
      if isFinal(captioner), isFinal(reader) { return }
      pause(seconds: 0.1)
    }
  }

  /// The captioner heard and played the call meanwhile: no period of it may be late by its own work.
  private func judgeVoice(_ name: String, _ before: Status, _ after: Status) throws(RigError) {
    var late = Lateness()
    late.add(from: before, to: after)
    bench.judge("\(figure).\(name).underrun.work", Double(late.own), "count", atMost: 0)
    bench.figures.add("\(figure).\(name).missedPeriods", Double(late.missed), "count")
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
