import ArgumentParser
import TestRig

/// How soon and how well what is said is read.
struct CaptionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "captions",
    abstract: "How soon and how well read speech is read, over a lossy call; needs root.",
    discussion: """
      A reads aloud, B captions it with comlink-speech, and what both show is timed. A word counts \
      from its end in the clean recording, as Whisper's alignment says; final is from the end of an utterance. \
      Part lan loses nothing; in part outage B reads aloud itself, and the network is away for ten seconds. \
      ./dev bench captions makes what it needs: a Python with the service, a model, and the corpus.
      """)

  @OptionGroup var options: BenchOptions

  @Option(help: "Python that comlink-speech runs on.") var python: String
  @Option(help: "Folder of comlink-speech's code.") var code: String
  @Option(help: "Folder of a Whisper model for CTranslate2.") var model: String
  @Option(help: "Folder that Tests/Quality/captions/corpus.py made.") var corpus: String
  @Option(help: "Parts, separated by commas: clean, rock, lan, outage.")
  var only = "clean,rock,lan,outage"
  @Option(help: "Loss on the way from A to B, percent.") var loss = 5

  func run() throws {
    let parts = try options.named(only, of: CaptionsMeasurement.Part.allCases, "--only") {
      $0.rawValue
    }
    try options.run("Captions over \(loss) % loss at 32 kbit/s") { bench in
      for part in parts {
        try CaptionsMeasurement(
          bench: bench, part: part, loss: loss, python: python, code: code, model: model,
          corpus: corpus
        ).run()
      }
    }
  }
}
