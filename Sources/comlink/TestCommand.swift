internal import ArgumentParser

/// `comlink test`: tests of this station, and of the way to another.
struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Tests this station, and the way to another.",
    discussion: "Tests end by themselves, and with Ctrl-C.",
    subcommands: [TestToneCommand.self, TestLoopCommand.self, TestSpeechCommand.self])
}
