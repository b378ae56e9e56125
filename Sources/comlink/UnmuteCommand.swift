internal import ArgumentParser
internal import Remote

/// `comlink unmute PEER`: takes a peer back into the mix.
struct UnmuteCommand: PeerCommand {
  static let configuration = CommandConfiguration(
    commandName: "unmute", abstract: "Takes a muted peer back into the mix.")

  @Argument(help: "The peer's name, words or fingerprint.") var peer: String
  @OptionGroup var remote: RemoteOptions

  var request: ControlRequest { .mute(peer: peer, isOn: false) }
}
