import ArgumentParser
import StatusSchema
import TestRig

/// What a listener hears of a file that somebody says.
struct HeardCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "heard",
    abstract: "Writes what B hears of a WAV file that A says, on two real JACK servers.",
    discussion: """
      The first frame of what is written is of the moment in which the first of the file was played, so \
      the way from port to port is in it. ./dev bench voice --only nodes judges it.
      """)

  /// What may come later than the last word.
  private static let moreSeconds = 1.0

  @OptionGroup var options: BenchOptions

  @Argument(help: "The WAV file to say.") var input: String
  @Argument(help: "The WAV file to write.") var output: String
  @Option(help: "Settings of both voices, such as suppress=strong, separated by commas.")
  var voice = ""
  @Option(help: "Packets of so many milliseconds: 2.5, 5, 10, 20, 40 or 60.") var ptime = "10"

  private var arguments: [String] {
    voice.split(separator: ",").flatMap { setting in
      let parts = setting.split(separator: "=", maxSplits: 1)
      return ["--voice-\(parts[0])"] + parts.dropFirst().map(String.init)
    }
  }

  func run() throws {
    try options.run("What B hears of \(input)") { bench in
      let sound = try WAV.read(input)
      let said = Sound.resampled(sound.mono, from: sound.sampleRate, to: Bench.sampleRate)
      let heard = try hear(said, bench)
      try WAV.write(Sound(channels: [heard], sampleRate: Bench.sampleRate), to: output)
    }
  }

  private func hear(_ said: [Float], _ bench: Bench) throws(RigError) -> [Float] {
    let seconds = Double(said.count) / Double(Bench.sampleRate) + Self.moreSeconds
    let arguments = arguments
    let (a, b) = try bench.pair(recordSeconds: seconds + 5) {
      $0.arguments += arguments
      $0.ptime = ptime
    }
    defer {
      a.stop()
      b.stop()
    }
    try a.prepareToSay(said)
    try b.listen(to: ["peer_A"])
    try b.ear.start()
    try a.mouth.start()
    let begun = [try a.node.status(), try b.node.status()]
    bench.wait("said", seconds: seconds, each: seconds)
    let status = try a.node.status()
    var late = Lateness()
    late.add(from: begun[0], to: status)
    late.add(from: begun[1], to: try b.node.status())
    bench.judge("heard.underrun.work", Double(late.own), "count", atMost: 0)
    bench.figures.add("heard.missedPeriods", Double(late.missed), "count")
    a.mouth.stop()
    b.ear.stop()
    bench.figures.add("heard.xruns", Double(a.mouth.xruns + b.ear.xruns), "count")
    if let problem = status.node.voice?.problem { Console.line("A: \(problem)") }
    // The ear may begin a moment after the mouth, so a later frame tells where the first would be.
    let later = Bench.sampleRate
    guard let moment = a.mouth.playedTimeLine.nanoseconds(at: Double(later)),
      let place = b.ear.recordedTimeLine.position(at: moment)
    else { throw .status(reason: "the ear heard nothing of the mouth's time") }
    let first = Int(place) - later
    let count = said.count + Int(Self.moreSeconds * Double(Bench.sampleRate))
    let before = [Float](repeating: 0, count: max(0, -first))
    return before + b.ear.recording(0).dropFirst(max(0, first)).prefix(count - before.count)
  }
}
