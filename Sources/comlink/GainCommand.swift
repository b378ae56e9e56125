internal import ArgumentParser
internal import Remote

/// `comlink gain PEER DB`: how loud a peer is in the mix.
struct GainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gain", abstract: "Sets how loud a peer is in the mix.")

  @Argument(help: "The peer's name, words or fingerprint.") var peer: String
  @Argument(help: ArgumentHelp("Gain, dB, \(Self.range.words()); 0 as it comes.", valueName: "DB"))
  var decibels: SignedNumber
  @OptionGroup var remote: RemoteOptions

  private static let range = ControlRequest.gainRangeDecibels

  func validate() throws {
    guard Self.range.contains(decibels.value) else {
      throw ValidationError("the gain must be from \(Self.range.words(joinedBy: " to ")) dB")
    }
  }

  func run() throws { try remote.ask(.gain(peer: peer, decibels: decibels.value)) }
}
