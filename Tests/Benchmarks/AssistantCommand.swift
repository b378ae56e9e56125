import ArgumentParser
import TestRig

/// Spoken calls beside voices.
struct AssistantCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "assistant",
    abstract: "What spoken calls with the local chain do to who talks at the station.",
    discussion: "./dev bench assistant makes what it needs: recogniser, speaker, model, a question."
  )

  @OptionGroup var options: BenchOptions

  @Option(help: "Talkers at the station.") var talkers = 8
  @Option(help: "Questions.") var turns = 6
  @Option(help: "Python that comlink-speech runs on.") var python: String
  @Option(help: "Folder of comlink-speech's code.") var code: String
  @Option(help: "Folder of a Whisper model for CTranslate2.") var model: String
  @Option(help: "Python that the language model runs on.") var languagePython: String
  @Option(help: "Its program, Tests/Assistant/model-server.py.") var languageServer: String
  @Option(help: "WAV file of a question.") var question: String

  func run() throws {
    try options.run("Spoken calls at P = \(options.period) while \(talkers) talk") {
      try AssistantMeasurement(
        bench: $0, talkers: talkers, turns: turns,
        speech: AssistantMeasurement.Program(
          command: python, arguments: ["-m", "comlink_speech", "--speak", "--model", model],
          environment: ["PYTHONPATH": code, "PYTHONDONTWRITEBYTECODE": "1"]),
        language: AssistantMeasurement.Program(
          command: languagePython, arguments: [languageServer]),
        question: question
      ).run()
    }
  }
}
