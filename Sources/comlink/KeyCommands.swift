internal import ArgumentParser
internal import Remote
internal import StatusSchema

/// `comlink key`: the keys of this node.
struct KeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Sets, lists and works the node's keys.",
    discussion: """
      A key talks or listens to lines, or talks to a member, a group, whoever called last, or all. A \
      press opens at once; shorter than the latch time it stays open until the next press. Each line that \
      the node is on comes with a key of its name.
      """,
    subcommands: [
      KeyListCommand.self, KeySetCommand.self, KeyPresetCommand.self, KeyRemoveCommand.self,
      KeyPressCommand.self, KeyReleaseCommand.self, KeyTapCommand.self,
    ])
}

/// `comlink key list`: all keys and their positions.
struct KeyListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the keys, how they are set and what they do now.")

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect(isForAny: true)
    guard case .keys(let keys) = try remote.answer(of: &client, to: .key(.list)) else {
      throw RemoteFailure.unexpectedAnswer
    }
    print(KeyTable.text(keys), terminator: "")
  }
}

/// `comlink key set NAME`: sets a key.
struct KeySetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Sets a key, in the place of one of that name.")

  @Argument(help: "The key's name, at most 30 bytes.") var name: String
  @Option(
    help: ArgumentHelp(
      "A line that it is for; repeatable. Without any target, the line of the key's name.",
      valueName: "LINE"))
  var line: [String] = []
  @Option(
    help: ArgumentHelp(
      "A member that it is for, whom nobody else hears; repeatable.", valueName: "PEER"))
  var member: [String] = []
  @Option(
    help: ArgumentHelp(
      "A group of this node that it is for, whose members alone hear it; repeatable.",
      valueName: "GROUP"))
  var group: [String] = []
  @Flag(help: "It talks to whoever called last.") var reply = false
  @Flag(help: "It talks to all members, whatever they listen to.") var announcement = false
  @Flag(help: "It is for all lines that the node is on.") var allLines = false
  @Flag(help: "A press begins a spoken call with the assistant, or ends it.") var assistant = false
  @Option(
    help: ArgumentHelp(
      """
      talk, listen, talk-listen, dual, force-listen, talk-force-listen or force-talk-force-listen. \
      Without it talk-force-listen for lines, talk for others.
      """,
      valueName: "WORD"))
  var activation: String?
  @Option(
    help: ArgumentHelp(
      "A press that is shorter latches, ms, 0…1000; 0: none does. Without it 200, announcing 0.",
      valueName: "MS"))
  var latch: Int?
  @Option(
    help: ArgumentHelp("Of the keys of a group, 1…9, one talks at a time.", valueName: "GROUP"))
  var interlock: Int?
  @Flag(help: "Talking listens to its lines, too.") var autoListen = false
  @Flag(help: "Talking does not listen to its lines.") var autoMute = false
  @Flag(help: "Talking listens to no other lines.") var isolate = false
  @Option(
    help: ArgumentHelp(
      "off: the microphone is sent untreated while no other key talks, for music.",
      valueName: "on|off"))
  var voice: String?
  @Option(
    help: ArgumentHelp(
      "A note or controller at the JACK port keys_in that works it, as 'note 60', 'cc 64' or "
        + "'note 60 channel 1'.", valueName: "CONTROL"))
  var midi: String?
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var targets = member.map { "member:\($0)" } + group.map { "group:\($0)" }
    if reply { targets.append("reply") }
    if announcement { targets.append("announcement") }
    if allLines { targets.append("all") }
    if assistant { targets.append("assistant") }
    var setting = KeySetting(name: name, lines: line.isEmpty && targets.isEmpty ? [name] : line)
    setting.targets = targets.isEmpty ? nil : targets
    setting.activation = activation
    setting.latchMilliseconds = latch
    setting.interlock = interlock
    setting.autoListen = autoListen
    setting.autoMute = autoMute
    setting.isolate = isolate
    setting.voice = voice
    setting.midi = midi
    try remote.ask(.key(.set(setting)))
  }
}

/// `comlink key preset SET [LINE …]`: sets the keys of a device.
struct KeyPresetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preset", abstract: "Sets the keys of a button, a beltpack or a panel.",
    discussion: """
      button: one key, talk, for all of the lines. beltpack: A to D, a line each. panel: 1 to 12, a line each. \
      Their lines are always heard; a key talks while it is held, a tap keeps it open. They take the place of \
      keys of these names.
      """)

  @Argument(help: ArgumentHelp("button, beltpack or panel.", valueName: "SET")) var preset: String
  @Argument(
    help: ArgumentHelp(
      "Lines in the order of the keys; without any, those that this node is on, all first.",
      valueName: "LINE"))
  var lines: [String] = []
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.key(.preset(preset, lines: lines))) }
}

/// `comlink key remove NAME`: removes a key.
struct KeyRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Removes a key that was set.")

  @Argument(help: "The key's name.") var name: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.key(.remove(key: name))) }
}

/// `comlink key press NAME`: presses a key and holds it.
struct KeyPressCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "press", abstract: "Presses a key; it stays down until comlink key release.")

  @Argument(help: "The key's name, as comlink key list shows it.") var name: String
  @Option(
    help: ArgumentHelp(
      "Who holds it: without another word of that holder within a second it is let go of.",
      valueName: "NAME"))
  var holder: String?
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.key(.press(key: name, holder: holder))) }
}

/// `comlink key release NAME`: lets go of a key.
struct KeyReleaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "release",
    abstract: "Releases a key; within the latch time of its press it stays open.")

  @Argument(help: "The key's name.") var name: String
  @Option(help: ArgumentHelp("Who held it.", valueName: "NAME")) var holder: String?
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.key(.release(key: name, holder: holder))) }
}

/// `comlink key tap NAME`: presses and releases a key.
struct KeyTapCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tap", abstract: "Taps a key: opens it for good, or closes it.")

  @Argument(help: "The key's name.") var name: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.key(.tap(key: name))) }
}
