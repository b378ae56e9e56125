internal import ArgumentParser
internal import Barcode
internal import Glibc
internal import Remote

/// `comlink page`: the page for phones.
struct PageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "page", abstract: "Lets phones use this station's page, and keeps them out.",
    discussion: """
      comlinkd serves the page with --page [::]:8443. Without a subcommand, comlink page shows a phone the way in.
      """,
    subcommands: [
      PageInviteCommand.self, PageListCommand.self, PageRevokeCommand.self, PageTokenCommand.self,
    ],
    defaultSubcommand: PageInviteCommand.self)
}

/// What a phone may do, as an argument.
struct RightsArgument: ExpressibleByArgument, CustomStringConvertible {
  static var allValueStrings: [String] { PageRights.allCases.map(\.rawValue) }

  let rights: PageRights
  var description: String { rights.rawValue }

  init(_ rights: PageRights) { self.rights = rights }

  init?(argument: String) {
    guard let rights = PageRights(rawValue: argument) else { return nil }
    self.rights = rights
  }
}

/// `comlink page invite`: address and QR code with a token for one phone.
struct PageInviteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Shows the address and a QR code for one phone.",
    discussion: """
      The code is good for ten minutes and one phone. A phone that opens a page of this crew for the first time is to \
      trust the crew's certificate first: the other code leads there. It is one tap a phone, for all stations of the \
      crew. Rights: listen sees all, talk works the talk key, operate sets the sound and lets nodes in, admin does all.
      """)

  @Option(help: "What the phone may do: listen, talk, operate or admin.") var rights =
    RightsArgument(.operate)
  @Option(help: ArgumentHelp("What the phone is called in the list.", valueName: "NAME"))
  var name: String?
  @Flag(help: "Uses an IP address, for phones that find no name ending in .local.") var ip = false
  @Flag(inversion: .prefixedNo, help: "Also shows QR codes; the default in a terminal.")
  var qr: Bool?
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    let request = ControlRequest.pageInvite(rights: rights.rights, name: name)
    guard case .pageInvitation(let invitation) = try RemoteOptions.answer(of: &client, to: request)
    else { throw RemoteFailure.unexpectedAnswer }
    if let trust = chosen(invitation.trustAddresses) {
      show(trust, "Once a phone, open this and do what it says")
      if let fingerprint = invitation.authorityFingerprint {
        print("  \(invitation.authority ?? ""), SHA-256 \(fingerprint)\n")
      }
    }
    guard let page = chosen(invitation.addresses) else { throw RemoteFailure.unexpectedAnswer }
    show(page + "#" + invitation.token, "Sign in, right \(rights)")
    PlainText.note(
      "the code signs one phone in, within \(Int(invitation.seconds / 60)) minutes; "
        + "who is signed in: comlink page list")
  }

  private func chosen(_ addresses: [String]) -> String? {
    (ip ? addresses.first { !$0.contains(".local:") } : nil) ?? addresses.first
  }

  private func show(_ address: String, _ title: String) {
    print("\(title):")
    if qr ?? (isatty(STDOUT_FILENO) == 1), let code = QRCode(address) {
      print(code.terminalText, terminator: "")
    }
    print("  \(address)")
  }
}

/// `comlink page list`: who is signed in.
struct PageListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the phones that are signed in.")

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    guard case .pageSessions(let sessions) = try RemoteOptions.answer(of: &client, to: .pageList)
    else { throw RemoteFailure.unexpectedAnswer }
    if sessions.isEmpty {
      PlainText.note("no phone is signed in; comlink page shows the way in")
    }
    print(PageSessionTable.text(sessions), terminator: "")
  }
}

/// `comlink page revoke NAME`: signs phones out.
struct PageRevokeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Signs a phone out, or all of them.",
    discussion: "Its page closes at once, and it needs a new code to come back.")

  @Argument(help: "The phone's name or ID in the list.") var session: String?
  @Flag(help: "Signs all phones out.") var all = false
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard all == (session == nil) else {
      throw ValidationError("give a name from comlink page list, or --all")
    }
  }

  func run() throws { try remote.ask(.pageRevoke(session: session)) }
}
