internal import ArgumentParser
internal import Remote

/// `comlink group join TEXT`: takes a group from its invitation.
struct GroupJoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Takes a group from its invitation.",
    discussion: """
      With - the invitation is read from standard input: other users of the machine can see the arguments of \
      a command, and shells remember them.
      """)

  @Argument(help: "The invitation, comlink:group/…, or - to read it from standard input.")
  var invitation: String
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    let text = invitation == "-" ? readLine() ?? "" : invitation
    var client = try remote.connect()
    let request = ControlRequest.groupJoin(invitation: SecretText(text))
    guard case .groups(let groups) = try RemoteOptions.answer(of: &client, to: request) else {
      throw RemoteFailure.unexpectedAnswer
    }
    for group in groups { print(PlainText.line(group)) }
  }
}
