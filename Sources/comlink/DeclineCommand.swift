internal import ArgumentParser
internal import Remote

/// `comlink decline PEER`: does not let a node in that asks.
struct DeclineCommand: PeerCommand {
  static let configuration = CommandConfiguration(
    commandName: "decline", abstract: "Does not let a node in that asks.")

  @Argument(help: "Its name, words or fingerprint, as comlink peers shows them.") var peer: String
  @OptionGroup var remote: RemoteOptions

  var request: ControlRequest { .decline(peer: peer) }
}
