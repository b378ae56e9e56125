internal import ArgumentParser

/// `comlink log`: what the daemon logs.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Shows and changes what comlinkd logs while it runs.",
    subcommands: [LogLevelCommand.self])
}
