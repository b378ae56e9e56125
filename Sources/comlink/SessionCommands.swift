internal import ArgumentParser
internal import Remote
internal import StatusSchema

/// `comlink session`: captions under a name, that members join.
struct SessionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session",
    abstract: "Hosts, joins and lists sessions of captions; list is the default.",
    subcommands: [
      SessionListCommand.self, SessionHostCommand.self, SessionJoinCommand.self,
      SessionLeaveCommand.self, SessionContinueCommand.self, SessionEndCommand.self,
    ], defaultSubcommand: SessionListCommand.self)
}

/// `comlink session list`: the sessions that are known here.
struct SessionListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists sessions: name, host, line, and how many listen.")

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    let answer = try RemoteOptions.answer(of: &client, to: .status)
    guard case .status(let status) = answer else { throw RemoteFailure.unexpectedAnswer }
    guard let captions = status.captions else {
      throw RemoteFailure.refused("this comlinkd knows no captions; update it")
    }
    for session in captions.hosted { print(CaptionTable.text(session), terminator: "") }
    if captions.hosted.isEmpty { PlainText.note("no sessions") }
  }
}

/// `comlink session host NAME`: begins a session.
struct SessionHostCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "host", abstract: "Hosts a session: captions a line under a name.",
    discussion: """
      All members are told of it; those who join, and are on the line, read what is said. It takes a service that \
      recognises speech, asr in the table [speech].
      """)

  @Argument(help: "What it is called, as an event is.") var name: String
  @Option(help: ArgumentHelp("The line whose talk it has; else all.", valueName: "LINE"))
  var line: String?
  @Flag(help: "This node's own words alone are captioned.") var solo = false
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.session(.host(name: name, line: line, isSolo: solo))) }
}

/// `comlink session join NAME|HOST|ID`: reads along.
struct SessionJoinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "join", abstract: "Joins a session and its line: its history comes, then the rest."
  )

  @Argument(help: ArgumentHelp("Its name, its host's, or its ID.", valueName: "SESSION"))
  var session: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.session(.join(session: session))) }
}

/// `comlink session leave`: reads no more.
struct SessionLeaveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Leaves a session; what came stays to be read.")

  @Argument(
    help: ArgumentHelp("Its name, its host's, or its ID; else the only one.", valueName: "SESSION"))
  var session: String?
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.session(.leave(session: session))) }
}

/// `comlink session continue SESSION`: this node is the host of a session whose host is gone.
struct SessionContinueCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "continue", abstract: "Goes on with a session whose host is gone, as its host.",
    discussion: "When the former host is back without having stopped, the session is its again.")

  @Argument(help: ArgumentHelp("Its name, its host's, or its ID.", valueName: "SESSION"))
  var session: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.session(.resume(session: session))) }
}

/// `comlink session end`: ends the session that this node hosts.
struct SessionEndCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "end", abstract: "Ends the session that this node hosts; what was said stays.")

  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.session(.end)) }
}
