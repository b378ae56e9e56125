internal import ArgumentParser
internal import Remote

/// `comlink page token`: by which programs use the page's REST.
struct PageTokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Lets programs use this station's REST, and keeps them out.",
    discussion: "The page's port serves REST under /api/v1 to whoever sends a token of these.",
    subcommands: [
      PageTokenNewCommand.self, PageTokenListCommand.self, PageTokenRevokeCommand.self,
    ])
}

/// `comlink page token new NAME`: makes one and prints it.
struct PageTokenNewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Makes a token for a program, and prints it.",
    discussion: """
      It is printed this once; the node keeps its hash. The program sends it as "Authorization: Bearer TOKEN". It is \
      good until it is revoked. Rights: talk reads and sends messages, operate also deletes them; they are those of \
      comlink page.
      """)

  @Argument(help: "What the program is called in the list.") var name: String
  @Option(help: "What the program may do: listen, talk, operate or admin.") var rights =
    RightsArgument(.talk)
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    let request = ControlRequest.pageToken(.new(name: name, rights: rights.rights))
    guard case .pageToken(let token) = try RemoteOptions.answer(of: &client, to: request)
    else { throw RemoteFailure.unexpectedAnswer }
    print(token.text)
    PlainText.note("it is not shown again; to take it back: comlink page token revoke \(name)")
  }
}

/// `comlink page token list`: who has one.
struct PageTokenListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the programs that have a token.")

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    guard
      case .pageSessions(let holders) = try RemoteOptions.answer(
        of: &client, to: .pageToken(.list))
    else { throw RemoteFailure.unexpectedAnswer }
    if holders.isEmpty {
      PlainText.note("no program has a token; comlink page token new NAME makes one")
    }
    print(PageSessionTable.text(tokens: holders), terminator: "")
  }
}

/// `comlink page token revoke NAME`: takes tokens back.
struct PageTokenRevokeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Takes a program's token back, or all of them.")

  @Argument(help: "The program's name or ID in the list.") var token: String?
  @Flag(help: "Takes all back.") var all = false
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard all == (token == nil) else {
      throw ValidationError("give a name from comlink page token list, or --all")
    }
  }

  func run() throws { try remote.ask(.pageToken(.revoke(token))) }
}
