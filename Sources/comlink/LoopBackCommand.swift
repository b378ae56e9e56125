internal import ArgumentParser
internal import Remote

/// `comlink loopback on|off`: consents to a peer's tests.
struct LoopBackCommand: ParsableCommand {
  /// What there is to say.
  enum Position: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  static let configuration = CommandConfiguration(
    commandName: "loopback", abstract: "Sends a peer's voice back for its tests, in place of ours.",
    discussion: """
      While it is on, this station sends what it hears of that peer to everybody, and not its own microphone. It ends by \
      itself, and when the peer leaves.
      """)

  @Argument(help: "on or off.") var position: Position
  @Argument(help: "The peer whose voice is sent back; with on.") var peer: String?
  @Option(help: ArgumentHelp("How long, \(Self.range.words()).", valueName: "N"))
  var minutes = 5.0
  @OptionGroup var remote: RemoteOptions

  private static let range = ControlRequest.loopBackRangeMinutes

  func validate() throws {
    guard (position == .on) == (peer != nil) else {
      throw ValidationError("say on and whose voice is sent back, or off")
    }
    guard Self.range.contains(minutes) else {
      throw ValidationError("the minutes must be from \(Self.range.words(joinedBy: " to "))")
    }
  }

  func run() throws {
    try remote.ask(peer.map { .loopBack(peer: $0, minutes: minutes) } ?? .loopBackOff)
  }
}
