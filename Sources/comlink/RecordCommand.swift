internal import ArgumentParser

/// `comlink record`: keeps what this node hears in files.
struct RecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record", abstract: "Records talkers and mix into files; start may be left out.",
    subcommands: [RecordStartCommand.self, RecordStopCommand.self],
    defaultSubcommand: RecordStartCommand.self)
}
