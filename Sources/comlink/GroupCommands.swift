internal import ArgumentParser
internal import Barcode
internal import Glibc
internal import Remote

/// `comlink group`: the groups that this node is in.
struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Creates, joins, lists and leaves groups.",
    discussion: """
      A group is a name and a secret of 32 random bytes. The invitation is a text with both: anyone who \
      has it can join.
      """,
    subcommands: [
      GroupNewCommand.self, GroupJoinCommand.self, GroupListCommand.self, GroupLeaveCommand.self,
    ])
}

/// `comlink group new NAME`: makes a group and shows its invitation, once.
struct GroupNewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Creates a group and shows its invitation once.")

  @Argument(help: "The group's name, at most 63 bytes.") var name: String
  @Flag(inversion: .prefixedNo, help: "Also shows a QR code; the default in a terminal.")
  var qr: Bool?
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    // A slow disk may take its time, and an invitation that nobody waits for is never shown.
    var client = try remote.connect(timeout: .seconds(30))
    let answer = try answer(of: &client)
    guard case .invitation(let invitation) = answer else { throw RemoteFailure.unexpectedAnswer }
    if qr ?? (isatty(STDOUT_FILENO) == 1), let code = QRCode(invitation.text) {
      print(code.terminalText)
    }
    print(invitation.text)
    PlainText.note(
      "this text is the group's secret and is not shown again. On the other nodes run: "
        + "comlink group join -")
  }

  private func answer(of client: inout ControlClient) throws(RemoteFailure) -> ControlResponse {
    do throws(RemoteFailure) {
      return try RemoteOptions.answer(of: &client, to: .groupNew(name: name))
    } catch {
      switch error {
      case .remote(.timedOut(let path, let seconds)):
        throw .groupUnknown(name: name, .timedOut(path: path, seconds: seconds))
      case .remote(.disconnected(let path)):
        throw .groupUnknown(name: name, .disconnected(path: path))
      default: throw error
      }
    }
  }
}

/// `comlink group join TEXT`: takes a group from its invitation.
struct GroupJoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Joins a group by its invitation.",
    discussion: """
      With - comlink reads the invitation from standard input: other users of the machine can see the arguments \
      of a command, and shells keep them in their history.
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

/// `comlink group leave NAME`: forgets a group.
struct GroupLeaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Leaves a group and deletes its secret.")

  @Argument(help: "The group's name.") var name: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.groupLeave(name: name)) }
}

/// `comlink group list`: the groups by name, and words to compare their secrets by.
struct GroupListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the groups that this node is in.",
    discussion:
      "Equal words on two nodes mean the same secret. They have 32 bits: enough against mistakes, "
      + "not against an attacker who forges a match.")

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    guard case .groups(let groups) = try RemoteOptions.answer(of: &client, to: .groupList) else {
      throw RemoteFailure.unexpectedAnswer
    }
    for group in groups { print(PlainText.line(group)) }
    if groups.isEmpty { PlainText.note("this node is in no group") }
  }
}
