internal import ArgumentParser
internal import Remote

/// `comlink mute PEER`: takes a peer out of the mix.
struct MuteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Takes a peer out of the mix.")

  @Argument(help: "The peer's name.") var peer: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.mute(peer: peer, isOn: true)) }
}
