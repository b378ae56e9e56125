internal import ArgumentParser
internal import Remote

/// `comlink choose`: what the page's Settings do, for whoever may use the control socket.
struct ChooseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "choose", abstract: "Sets this station's name or profile.",
    discussion: """
      It holds from the next start of comlinkd, in place of comlink.toml's; flags of comlinkd win over it. The value \
      default goes back to comlink.toml. It is kept in chosen.toml in the state directory, and refused where the \
      configuration would not hold with it.
      """)

  @Argument(help: "What to set: name, or profile.") var setting: String
  @Argument(help: "The name; or stage, wifi, saver or none; default: as in comlink.toml.")
  var value: String
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    let request = ControlRequest.choose(changes: [setting: value])
    guard case .done(let note) = try RemoteOptions.answer(of: &client, to: request) else {
      throw RemoteFailure.unexpectedAnswer
    }
    print(PlainText.cleaned(note))
  }
}
