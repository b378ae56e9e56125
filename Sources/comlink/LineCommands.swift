internal import ArgumentParser
internal import Remote
internal import StatusSchema

/// `comlink line`: the party lines of the group.
struct LineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "line", abstract: "Makes, joins, lists and leaves party lines.",
    discussion: """
      A party line is a named channel in the group: who talks on it is heard by those who are on it, and \
      nobody else is sent the sound. Everyone is on line all. A line is there as long as anyone is on it.
      """,
    subcommands: [
      LineListCommand.self, LineNewCommand.self, LineJoinCommand.self, LineLeaveCommand.self,
      LineListenCommand.self, LineLevelCommand.self,
    ])
}

/// `comlink line list`: all lines of the group.
struct LineListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the group's lines, who is on them and who talks.")

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    guard case .lines(let lines) = try RemoteOptions.answer(of: &client, to: .line(.list)) else {
      throw RemoteFailure.unexpectedAnswer
    }
    print(LineTable.text(lines), terminator: "")
  }
}

/// `comlink line new LINE`: makes a line.
struct LineNewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Makes a line and joins it.")

  @Argument(help: "The line's name, at most 30 bytes.") var line: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.line(.new(line: line))) }
}

/// `comlink line join LINE`: is on a line.
struct LineJoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Joins a line of the group: its talkers are heard.",
    discussion: "The line comes with a key of its name, unless you set another for it.")

  @Argument(help: "The line's name, as comlink line list shows it.") var line: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.line(.join(line: line))) }
}

/// `comlink line leave LINE`: is on a line no more.
struct LineLeaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Leaves a line.")

  @Argument(help: "The line's name.") var line: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.line(.leave(line: line))) }
}

/// `comlink line listen LINE on|off`: hears a line, or not.
struct LineListenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "listen", abstract: "Listens to a joined line, or not.")

  @Argument(help: "The line's name.") var line: String
  @Argument(help: "on or off.") var position: TalkCommand.Position
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.line(.listen(line: line, isOn: position == .on))) }
}

/// `comlink line level LINE DB`: how loud a line is heard.
struct LineLevelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "level", abstract: "Sets how loud a joined line is heard.")

  @Argument(help: "The line's name.") var line: String
  @Argument(
    help: ArgumentHelp("Level, dB, \(Self.range.words()); 0 is as it comes.", valueName: "DB"))
  var decibels: SignedNumber
  @OptionGroup var remote: RemoteOptions

  private static let range = LineStatus.levelRangeDecibels

  func validate() throws {
    guard Self.range.contains(decibels.value) else {
      throw ValidationError("the level must be from \(Self.range.words(joinedBy: " to ")) dB")
    }
  }

  func run() throws { try remote.ask(.line(.level(line: line, decibels: decibels.value))) }
}
