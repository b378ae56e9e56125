internal import ArgumentParser
internal import Remote
internal import StatusSchema

/// `comlink input [NAME [on|off] [--lines LINE,LINE]]`: inputs beside the microphone.
struct InputCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "input",
    abstract: "Shows inputs beside your microphone, or says who is sent one.",
    discussion: """
      --program and --input of comlinkd say which there are. What is set here is kept, until the configuration says \
      something else of that input.
      """)

  @Argument(help: "The input.") var name: String?
  @Argument(help: "on or off: whether others are sent it.") var position: TalkCommand.Position?
  @Option(
    help: ArgumentHelp(
      "It is for members on these lines alone, of those that this node is on; all: for everybody.",
      valueName: "LINE,LINE"))
  var lines: String?
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard (name == nil) == (position == nil && lines == nil) else {
      throw ValidationError("say the input and on, off or --lines, or nothing")
    }
    guard lines.map({ !PatchRequest.lines(in: $0).isEmpty }) ?? true else {
      throw ValidationError("--lines needs the name of a line, or all")
    }
  }

  func run() throws {
    if let name {
      let lines = lines.map { PatchRequest.lines(in: $0) }
      return try remote.ask(
        .patch(.input(name: name, isOn: position.map { $0 == .on }, lines: lines)))
    }
    try remote.show(
      { $0.inputs.map { PatchTable.text($0) } },
      none: "no inputs beside the microphone: see --program and --input of comlinkd")
  }
}

/// `comlink bus [NAME PEER DB|off]`: who is on which bus.
struct BusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bus", abstract: "Shows buses with ports of their own, or sets who is on one.",
    discussion: """
      --bus of comlinkd says which there are, and who is on them at first. What is set here is kept, until the \
      configuration says something else of that bus.
      """)

  @Argument(help: "The bus.") var name: String?
  @Argument(help: "The peer's name, words or fingerprint; or all.") var peer: String?
  @Argument(
    help: ArgumentHelp(
      "Gain, dB, \(PeerStatus.gainRangeDecibels.words()); or off.", valueName: "DB|off"))
  var level: SidetoneCommand.Level?
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard (name == nil) == (level == nil), (name == nil) == (peer == nil) else {
      throw ValidationError("say the bus, the peer and a gain or off, or nothing")
    }
    guard level?.decibels.map(PeerStatus.gainRangeDecibels.contains) ?? true else {
      throw ValidationError(
        "the gain must be from \(PeerStatus.gainRangeDecibels.words(joinedBy: " to ")) dB, or off")
    }
  }

  func run() throws {
    if let name, let peer, let level {
      return try remote.ask(
        .patch(.bus(name: name, peer: peer == "all" ? nil : peer, decibels: level.decibels)))
    }
    try remote.show(
      { $0.buses.map { PatchTable.text($0) } },
      none: "no buses beside the main one: see --bus of comlinkd")
  }
}

extension RemoteOptions {
  /// Writes a part of the status; nil: there is none of it.
  fileprivate func show(
    _ text: (Status) -> String?, none: String
  ) throws(RemoteFailure) {
    var client = try connect()
    guard case .status(let status) = try RemoteOptions.answer(of: &client, to: .status) else {
      throw .unexpectedAnswer
    }
    if let text = text(status) {
      _ = StandardOutput.write(text)
    } else {
      PlainText.note(none)
    }
  }
}
