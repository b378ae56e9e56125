internal import ArgumentParser
internal import Remote

/// `comlink unmute PEER`: takes a peer back into the mix.
struct UnmuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute", abstract: "Takes a muted peer back into the mix.")

  @Argument(help: "The peer's name.") var peer: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.mute(peer: peer, isOn: false)) }
}
