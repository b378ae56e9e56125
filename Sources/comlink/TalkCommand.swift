internal import ArgumentParser
internal import Remote

/// `comlink talk on|off`: the talk key.
struct TalkCommand: ParsableCommand {
  /// The key's two positions.
  enum Position: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  static let configuration = CommandConfiguration(
    commandName: "talk", abstract: "Opens or closes the microphone to all peers.")

  @Argument(help: "on or off.") var position: Position
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.talk(isOn: position == .on)) }
}
