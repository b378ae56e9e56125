internal import ArgumentParser
internal import Remote

/// `comlink forget PEER`: takes back that a node is trusted, or blocked.
struct ForgetCommand: PeerCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Takes back that a node is trusted, or blocked.")

  @Argument(help: "Its name, words or fingerprint, as comlink peers shows them.") var peer: String
  @OptionGroup var remote: RemoteOptions

  var request: ControlRequest { .forget(peer: peer) }
}
