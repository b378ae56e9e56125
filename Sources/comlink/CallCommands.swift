internal import ArgumentParser
internal import Glibc
internal import Remote
internal import StatusSchema

/// `comlink call [PEER]`: calls somebody, or lists the calls.
struct CallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call", abstract: "Calls a member, or all on a line; lists the calls.",
    discussion: """
      A call rings and flashes until somebody answers or clears it, for 30 s at most. Whoever is called \
      answers with comlink reply. Without a name it lists the calls.
      """)

  @Argument(help: "The member to call.") var peer: String?
  @Option(help: ArgumentHelp("Calls all who are on a line.", valueName: "LINE")) var line: String?
  @Flag(help: "Rings only until this command is interrupted.") var hold = false
  @Flag(help: "Ends the call.") var end = false
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard peer == nil || line == nil else {
      throw ValidationError("give a member or a line, and not both")
    }
    guard peer != nil || line != nil || !hold && !end else {
      throw ValidationError("say whom: a member, or --line LINE")
    }
    guard !hold || !end else { throw ValidationError("--hold and --end exclude each other") }
  }

  func run() throws {
    guard peer != nil || line != nil else { return try list() }
    if end { return try remote.ask(.call(.end(peer: peer, line: line))) }
    guard hold else { return try remote.ask(.call(.call(peer: peer, line: line, holder: nil))) }
    try ring()
  }

  private func list() throws {
    var client = try remote.connect()
    guard case .calls(let calls) = try RemoteOptions.answer(of: &client, to: .call(.list)) else {
      throw RemoteFailure.unexpectedAnswer
    }
    print(CallTable.text(calls), terminator: "")
  }

  /// Rings until the call is over, or a signal comes.
  private func ring() throws {
    var signals = HeldSignals([SIGINT, SIGTERM, SIGHUP])
    var client = try remote.connect()
    let holder = "comlink call \(getpid())"
    _ = try RemoteOptions.answer(
      of: &client, to: .call(.call(peer: peer, line: line, holder: holder)))
    while signals.next() == nil {
      _ = try RemoteOptions.answer(of: &client, to: .key(.hold(holder: holder)))
      guard case .calls(let calls) = try RemoteOptions.answer(of: &client, to: .call(.list)) else {
        throw RemoteFailure.unexpectedAnswer
      }
      if calls.outgoing.isEmpty { return }
      usleep(300_000)
    }
    _ = try RemoteOptions.answer(of: &client, to: .call(.end(peer: peer, line: line)))
  }
}

/// `comlink reply`: talks to whoever called last.
struct ReplyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reply", abstract: "Talks to whoever called last; again, it ends that.",
    discussion: "This taps the key reply: comlink key press reply and release hold it.")

  @Flag(help: "Ends the reply and forgets the call.") var clear = false
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.call(.reply(clears: clear))) }
}

/// `comlink clear [PEER]`: forgets calls.
struct ClearCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Forgets the latest call, a member's, or all.")

  @Argument(help: "Whose calls; without it the latest one.") var peer: String?
  @Flag(help: "All calls.") var all = false
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard peer == nil || !all else { throw ValidationError("give a member or --all, not both") }
  }

  func run() throws { try remote.ask(.call(.clear(peer: peer, isAll: all))) }
}
