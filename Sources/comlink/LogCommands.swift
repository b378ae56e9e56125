internal import ArgumentParser
internal import Remote

/// `comlink log`: what the daemon logs.
struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Shows or changes the log levels of the running comlinkd.",
    subcommands: [LogLevelCommand.self])
}

/// `comlink log level [LEVEL [AREA]]`: the least that the daemon logs, until it ends.
struct LogLevelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "level", abstract: "Shows the log levels, or changes them until comlinkd exits.",
    discussion: """
      Without arguments it lists each area of the log with its level. A restart goes back to --log-level.
      """)

  @Argument(
    help: ArgumentHelp(
      "Lowest level to log: trace, debug, info, notice, warning, error or critical.",
      valueName: "LEVEL"))
  var level: String?
  @Argument(
    help: ArgumentHelp("Only this area, such as mesh; all by default.", valueName: "AREA"))
  var area: String?
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    let request = ControlRequest.logLevel(level: level, area: area)
    guard case .logLevels(let levels) = try RemoteOptions.answer(of: &client, to: request) else {
      throw RemoteFailure.unexpectedAnswer
    }
    guard level == nil else { return }
    let width = levels.keys.map(\.count).max() ?? 0
    for (area, level) in levels.sorted(by: { $0.key < $1.key }) {
      let blanks = String(repeating: " ", count: width - area.count)
      print("\(PlainText.cleaned(area))\(blanks)  \(PlainText.cleaned(level))")
    }
  }
}
