internal import ArgumentParser
internal import Remote

/// `comlink peers`: whom this node knows, and who asks to be let in.
struct PeersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "peers",
    abstract: "Lists known nodes, and those that ask to be let in.",
    discussion: """
      Nodes choose their own names; only the words (64 bits of the fingerprint) are proved. A node that \
      asks to be let in is declined after 30 s unless you accept it.
      """)

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    guard case .knownNodes(let known) = try RemoteOptions.answer(of: &client, to: .peers) else {
      throw RemoteFailure.unexpectedAnswer
    }
    print(KnownNodeTable.text(known), terminator: "")
    if known.isEmpty { PlainText.note("no known nodes yet") }
  }
}

/// `comlink accept PEER`: lets a node in that asks.
struct AcceptCommand: PeerCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Admits a node that asks to be let in, and trusts it.")

  @Argument(help: "Its name, words or fingerprint, as comlink peers shows them.") var peer: String
  @OptionGroup var remote: RemoteOptions

  var request: ControlRequest { .accept(peer: peer) }
}

/// `comlink block PEER`: keeps a node out for good, whatever groups it is in.
struct BlockCommand: PeerCommand {
  static let configuration = CommandConfiguration(
    commandName: "block", abstract: "Blocks a node for good, whatever groups it is in.")

  @Argument(help: "Its name, words or fingerprint, as comlink peers shows them.") var peer: String
  @OptionGroup var remote: RemoteOptions

  var request: ControlRequest { .block(peer: peer) }
}

/// `comlink decline PEER`: does not let a node in that asks.
struct DeclineCommand: PeerCommand {
  static let configuration = CommandConfiguration(
    commandName: "decline", abstract: "Declines a node that asks to be let in.")

  @Argument(help: "Its name, words or fingerprint, as comlink peers shows them.") var peer: String
  @OptionGroup var remote: RemoteOptions

  var request: ControlRequest { .decline(peer: peer) }
}

/// `comlink forget PEER`: takes back that a node is trusted, or blocked.
struct ForgetCommand: PeerCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Revokes trust in a node, or lifts its block.")

  @Argument(help: "Its name, words or fingerprint, as comlink peers shows them.") var peer: String
  @OptionGroup var remote: RemoteOptions

  var request: ControlRequest { .forget(peer: peer) }
}

/// `comlink invite PEER`: asks a node to let this one in, and lets it in.
struct InviteCommand: PeerCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Asks a node to admit this one, and trusts it.")

  @Argument(help: "Its name, words or fingerprint, as comlink peers shows them.") var peer: String
  @OptionGroup var remote: RemoteOptions

  var request: ControlRequest { .invite(peer: peer) }
}

/// A command about one node, whose only answer is "done".
protocol PeerCommand: ParsableCommand {
  var peer: String { get }
  var remote: RemoteOptions { get }
  /// What is asked for.
  var request: ControlRequest { get }
}

extension PeerCommand {
  func run() throws { try remote.ask(request) }
}
