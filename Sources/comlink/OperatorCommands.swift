internal import ArgumentParser
internal import Remote
internal import StatusSchema

/// `comlink operator`: members that may set something at this node.
struct OperatorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "operator", abstract: "Lets members set something at this node from afar.",
    discussion: """
      An operator asks this node by comlink … --at NAME. Each time it does is logged here and shown by comlink \
      operator list. Nobody is an operator at first.
      """,
    subcommands: [
      OperatorListCommand.self, OperatorAllowCommand.self, OperatorDenyCommand.self,
    ])
}

/// `comlink operator list`.
struct OperatorListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists operators, what they may do, and what they did last.")

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    guard case .status(let status) = try RemoteOptions.answer(of: &client, to: .status) else {
      throw RemoteFailure.unexpectedAnswer
    }
    print(OperatorTable.text(status.operators ?? []), terminator: "")
  }
}

/// `comlink operator allow MEMBER`.
struct OperatorAllowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "allow", abstract: "Lets a member set what the flags say; without flags all of it."
  )

  @Argument(help: "The member: its name or ID, as comlink status shows it.") var peer: String
  @Flag(help: "How loud this node's microphone is: comlink voice --gain.") var micGain = false
  @Flag(help: "How loud what is heard here: comlink ear, line level, gain and others.")
  var levels = false
  @Flag(help: "Its lines and keys: comlink key, line join, talk and others.") var keys = false
  @Flag(help: "Releasing its latched keys: comlink mic-kill.") var kill = false
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    let rights = [
      ("mic-gain", micGain), ("levels", levels), ("keys", keys), ("kill", kill),
    ].filter(\.1).map(\.0)
    try remote.ask(.operators(.allow(peer: peer, rights: rights)))
  }
}

/// `comlink operator deny MEMBER`.
struct OperatorDenyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny", abstract: "Lets a member set nothing here any more.")

  @Argument(help: "The member: its name or ID.") var peer: String
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.operators(.deny(peer: peer))) }
}

/// `comlink mic-kill`.
struct MicKillCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mic-kill", abstract: "Releases all latched keys, and says which keys stay open.",
    discussion: """
      A key that a finger holds, or that talks always, stays open. comlink mic-kill --at NAME does it at another node \
      whose operator you are.
      """)

  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.operators(.kill)) }
}
