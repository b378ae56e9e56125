internal import ArgumentParser
internal import Remote

/// `comlink accept PEER`: lets a node in that asks.
struct AcceptCommand: PeerCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Lets a node in that asks.")

  @Argument(help: "Its name, words or fingerprint, as comlink peers shows them.") var peer: String
  @OptionGroup var remote: RemoteOptions

  var request: ControlRequest { .accept(peer: peer) }
}
