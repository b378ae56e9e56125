import ArgumentParser
import TestRig

/// Voice messages beside voices.
struct MessagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "messages",
    abstract: "How soon a voice message is there, and what many at once do to who talks.")

  @OptionGroup var options: BenchOptions

  @Option(help: "Talkers, of whom the first sends the messages.")
  var talkers = 8

  @Option(help: "Voice messages of 30 s.")
  var messages = 100

  func run() throws {
    try options.run("Voice messages at P = \(options.period) while \(talkers) talk") {
      try MessagesMeasurement(bench: $0, talkers: talkers, messages: messages).run()
    }
  }
}
