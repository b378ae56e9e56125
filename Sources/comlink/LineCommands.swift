internal import ArgumentParser
internal import Remote
internal import StatusSchema

/// `comlink line`: the party lines of the group.
struct LineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "line", abstract: "Makes, joins, lists and leaves party lines.",
    discussion: """
      A party line is a named channel in the group: who talks on it is heard by those who are on it, and \
      nobody else is sent the sound. Everyone is on line all. A line is there as long as anyone is on it. A \
      private line is known to those only who are on it: one of them adds you, and you join.
      """,
    subcommands: [
      LineListCommand.self, LineNewCommand.self, LineJoinCommand.self, LineLeaveCommand.self,
      LineAddCommand.self, LineRemoveCommand.self, LineListenCommand.self, LineLevelCommand.self,
      LinePanCommand.self, LinePortCommand.self, LinePriorityCommand.self,
      LineDisplayCommand.self,
    ])
}

/// `comlink line list`: all lines of the group.
struct LineListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the group's lines, who is on them and who talks.")

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect(isForAny: true)
    guard case .lines(let lines) = try remote.answer(of: &client, to: .line(.list)) else {
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
  @Flag(
    name: .customLong("private"),
    help: "Only members that are added (comlink line add) can know of it, and decrypt it.")
  var isPrivate = false
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.line(.new(line: line, isPrivate: isPrivate))) }
}

/// `comlink line join LINE`: is on a line.
struct LineJoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Joins a line of the group: its talkers are heard.",
    discussion: "The line comes with a key of its name, unless you set another for it.")

  @Argument(help: "The line's name, as comlink line list shows it.") var line: String
  @Flag(
    name: .customLong("private"),
    help: "Joins the private line that you are invited to, where another line has its name, too.")
  var isPrivate = false
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.line(.join(line: line, isPrivate: isPrivate))) }
}

/// `comlink line leave LINE`: is on a line no more.
struct LineLeaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Leaves a line, or declines an invitation to one.")

  @Argument(help: "The line's name.") var line: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.line(.leave(line: line))) }
}

/// `comlink line add LINE MEMBER`: somebody may join a private line.
struct LineAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Adds a member to a private line: it is invited to join.",
    discussion: """
      Whoever is on a private line may add members and remove them. Who is added joins with comlink line join, and \
      hears nothing of the line before that.
      """)

  @Argument(help: "The private line's name.") var line: String
  @Argument(help: "The member: its name or ID, as comlink status shows it.") var peer: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.line(.add(line: line, peer: peer))) }
}

/// `comlink line remove LINE MEMBER`: somebody is on a private line no more.
struct LineRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Removes a member from a private line.",
    discussion: "What is said there from then on is encrypted by keys that it never gets.")

  @Argument(help: "The private line's name.") var line: String
  @Argument(help: "The member: its name or ID.") var peer: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.line(.remove(line: line, peer: peer))) }
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

/// `comlink line pan LINE POSITION`: where a line is heard.
struct LinePanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pan", abstract: "Sets where a joined line is heard, left to right.",
    discussion: "It adds to the pan of each peer.")

  @Argument(help: "The line's name.") var line: String
  @Argument(
    help: ArgumentHelp("-1 left, 0 centre, 1 right.", valueName: PeerStatus.panRange.words()))
  var position: SignedNumber
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard PeerStatus.panRange.contains(position.value) else {
      throw ValidationError("the pan must be from -1 (left) to 1 (right)")
    }
  }

  func run() throws { try remote.ask(.line(.pan(line: line, position: position.value))) }
}

/// `comlink line port LINE on|off`: a JACK output of its own.
struct LinePortCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "port", abstract: "Gives a joined line a JACK output of its own, or none.",
    discussion: """
      It has all that is heard on the line and nothing else, mono, as it came. Buses and lines have six outputs \
      together.
      """)

  @Argument(help: "The line's name.") var line: String
  @Argument(help: "on or off.") var position: TalkCommand.Position
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.line(.port(line: line, isOn: position == .on))) }
}

/// `comlink line priority LINE 0…4`: what gives way to what.
struct LinePriorityCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "priority", abstract: "Sets which lines give way to a joined line.",
    discussion: """
      0 is below standard, 1 standard (as at first), 2 high, 3 paging, 4 emergency. While anyone is heard on a line \
      of a higher priority, lines of a lower one are dimmed (comlink ear --priority-dim); an emergency mutes them.
      """)

  @Argument(help: "The line's name.") var line: String
  @Argument(help: "0 to 4.") var priority: Int
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.line(.priority(line: line, priority: priority))) }
}

/// `comlink line display LINE TEXT`: what small displays show for a line.
struct LineDisplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "display", abstract: "Sets what small displays show for a joined line.",
    discussion: """
      At first they show the first 8 characters of its name, and do so again after: comlink line display LINE ''. It is \
      this node's own: others see what they set.
      """)

  @Argument(help: "The line's name.") var line: String
  @Argument(help: "At most 8 characters.") var text: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.line(.display(line: line, text: text))) }
}
