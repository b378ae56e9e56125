internal import ArgumentParser
internal import Remote

/// `comlink restart`: what the page's button does, for whoever may use the control socket.
struct RestartCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart", abstract: "Restarts comlinkd where it runs as a service.",
    discussion: """
      It ends in order, others are told, and systemd starts it again. Settings of the configuration file hold from then \
      on. Where it was started by hand it is refused.
      """)

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    guard case .done(let note) = try RemoteOptions.answer(of: &client, to: .service(.restart))
    else { throw RemoteFailure.unexpectedAnswer }
    print(PlainText.cleaned(note))
  }
}
