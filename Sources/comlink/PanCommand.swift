internal import ArgumentParser
internal import Remote

/// `comlink pan PEER -1…1`: where a peer is in the mix.
struct PanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pan", abstract: "Places a peer in the mix between left and right.")

  @Argument(help: "The peer's name, words or fingerprint.") var peer: String
  @Argument(
    help: ArgumentHelp("-1 left, 0 middle, 1 right.", valueName: ControlRequest.panRange.words()))
  var position: SignedNumber
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard ControlRequest.panRange.contains(position.value) else {
      throw ValidationError("the place must be from -1 (left) to 1 (right)")
    }
  }

  func run() throws { try remote.ask(.pan(peer: peer, position: position.value)) }
}
