internal import ArgumentParser
internal import Remote

/// `comlink mute PEER`: takes a peer out of the mix.
struct MuteCommand: PeerCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Takes a peer out of the mix.")

  @Argument(help: "The peer's name, words or fingerprint.") var peer: String
  @OptionGroup var remote: RemoteOptions

  var request: ControlRequest { .mute(peer: peer, isOn: true) }
}
