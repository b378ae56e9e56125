internal import ArgumentParser
internal import Remote

/// `comlink block PEER`: keeps a node out for good, whatever groups it is in.
struct BlockCommand: PeerCommand {
  static let configuration = CommandConfiguration(
    commandName: "block", abstract: "Keeps a node out for good, whatever groups it is in.")

  @Argument(help: "Its name, words or fingerprint, as comlink peers shows them.") var peer: String
  @OptionGroup var remote: RemoteOptions

  var request: ControlRequest { .block(peer: peer) }
}
