internal import ArgumentParser
internal import Remote

/// `comlink invite PEER`: asks a node to let this one in, and lets it in.
struct InviteCommand: PeerCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Asks a node to let this one in, and lets it in.")

  @Argument(help: "Its name, words or fingerprint, as comlink peers shows them.") var peer: String
  @OptionGroup var remote: RemoteOptions

  var request: ControlRequest { .invite(peer: peer) }
}
