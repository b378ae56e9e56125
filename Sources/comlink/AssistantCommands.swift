internal import ArgumentParser
internal import Glibc
internal import Remote
internal import StatusSchema

/// `comlink assistant`: talks to the node's assistant.
struct AssistantCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "assistant", abstract: "Talks to the assistant, and shows what was said.",
    subcommands: [
      AssistantConsentCommand.self, AssistantAskCommand.self, AssistantCallCommand.self,
      AssistantSayCommand.self, AssistantEndCommand.self, AssistantStatusCommand.self,
      AssistantSessionsCommand.self, AssistantShowCommand.self, AssistantDeleteCommand.self,
    ])
}

/// Who asks, and where.
struct AssistantOptions: ParsableArguments {
  /// A model on a small machine reads a long conversation slowly.
  static let turnTimeout = Duration.seconds(150)

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "Who asks, where the station is shared (assistant-shared).", valueName: "NAME"))
  var name: String?
  @OptionGroup var remote: RemoteOptions

  var caller: AssistantCaller {
    var caller = AssistantCaller()
    caller.name = name
    return caller
  }

  /// The answer to a request.
  func answer(
    to request: AssistantRequest, timeout: Duration = .seconds(30)
  ) throws(RemoteFailure) -> AssistantAnswer {
    var client = try remote.connect(timeout: timeout)
    switch try RemoteOptions.answer(of: &client, to: .assistant(request)) {
    case .assistant(let answer): return answer
    case .ok: return AssistantAnswer()
    case .done(let note):
      print(PlainText.cleaned(note))
      return AssistantAnswer()
    default: throw .unexpectedAnswer
    }
  }
}

/// `comlink assistant consent`: what leaves the node, and whether that may be.
struct AssistantConsentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "consent", abstract: "Tells what leaves the node, and takes your agreement.",
    discussion: """
      Calls are refused until you agreed. Without an option it only tells. --withdraw deletes what was kept, too.
      """)

  @Flag(help: "Agrees, and lets sessions be kept.") var keep = false
  @Flag(help: "Agrees, and lets nothing be kept.") var forget = false
  @Flag(help: "Agrees no more, and deletes all sessions.") var withdraw = false
  @OptionGroup var options: AssistantOptions

  func validate() throws {
    guard [keep, forget, withdraw].count(where: { $0 }) <= 1 else {
      throw ValidationError("give one of --keep, --forget and --withdraw")
    }
  }

  func run() throws {
    let isAgreeing = keep || forget || withdraw
    let answer = try options.answer(
      to: isAgreeing
        ? .agree(keeps: withdraw ? nil : keep, options.caller) : .consent(options.caller))
    guard let consent = answer.consent else { throw RemoteFailure.unexpectedAnswer }
    print(SessionTable.text(consent))
  }
}

/// `comlink assistant ask TEXT`: one question, one answer.
struct AssistantAskCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ask", abstract: "Asks one thing and prints the answer.",
    discussion: "A call of one turn: begun, asked and ended at once.")

  @Argument(
    help: ArgumentHelp(
      "At most \(AssistantRequest.textBytes) bytes; - reads it from standard input.",
      valueName: "TEXT"))
  var text: [String]
  @OptionGroup var options: AssistantOptions

  func run() throws {
    let text =
      try self.text == ["-"] ? SayCommand.standardInput() : self.text.joined(separator: " ")
    guard let session = try options.answer(to: .call(isSpoken: false, options.caller)).session
    else {
      throw RemoteFailure.unexpectedAnswer
    }
    defer { _ = try? options.answer(to: .end(session: session.id, options.caller)) }
    try AssistantSayCommand.say(text, in: session.id, options)
  }
}

/// `comlink assistant call`: begins a call, in which `say` says something.
struct AssistantCallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call", abstract: "Begins a call; prints the number of its session.",
    discussion: """
      With --spoken by the station's microphone and in its ear, or with --line on a line, until you end it or say \
      nothing for a while; else what is said in it comes from comlink assistant say.
      """)

  @Flag(help: "By microphone and ear.") var spoken = false

  @Option(
    help: ArgumentHelp(
      "The line that hears the answers of a spoken call; \"\" is you alone, whatever assistant-line says.",
      valueName: "NAME"))
  var line: String?

  @Option(help: ArgumentHelp("Where it comes from.", valueName: "node|page|key"))
  var context = "node"
  @OptionGroup var options: AssistantOptions

  func validate() throws {
    guard ["node", "page", "key"].contains(context) else {
      throw ValidationError("--context must be node, page or key")
    }
    guard line == nil || spoken else { throw ValidationError("--line goes with --spoken") }
  }

  func run() throws {
    var caller = options.caller
    caller.context = context
    guard let session = try options.answer(to: .call(isSpoken: spoken, line: line, caller)).session
    else {
      throw RemoteFailure.unexpectedAnswer
    }
    print(session.id)
  }
}

/// `comlink assistant say SESSION TEXT`: a turn of a call.
struct AssistantSayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "say", abstract: "Says something in a call, and prints the answer.")

  @Argument(help: ArgumentHelp("As call printed it.", valueName: "SESSION")) var session: String
  @Argument(
    help: ArgumentHelp(
      "At most \(AssistantRequest.textBytes) bytes.", valueName: "TEXT")) var text: [String]
  @OptionGroup var options: AssistantOptions

  func run() throws { try Self.say(text.joined(separator: " "), in: session, options) }

  static func say(_ text: String, in session: String, _ options: AssistantOptions) throws {
    let answer = try options.answer(
      to: .turn(session: session, text: text, options.caller),
      timeout: AssistantOptions.turnTimeout)
    guard let turn = answer.session?.turns?.last else { throw RemoteFailure.unexpectedAnswer }
    print(SessionTable.text(turn.text))
  }
}

/// `comlink assistant end`: ends a call.
struct AssistantEndCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "end", abstract: "Ends a call; the newest, if none is named.")

  @Argument(help: ArgumentHelp("As call printed it.", valueName: "SESSION")) var session: String?
  @OptionGroup var options: AssistantOptions

  func run() throws { _ = try options.answer(to: .end(session: session, options.caller)) }
}

/// `comlink assistant status`: what the assistant does.
struct AssistantStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Tells what the assistant does.")

  @Flag(help: "Prints JSON.") var json = false
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    guard case .status(let status) = try RemoteOptions.answer(of: &client, to: .status),
      let assistant = status.assistant
    else { throw RemoteFailure.unexpectedAnswer }
    print(json ? try RemoteOptions.pretty(assistant) : SessionTable.text(assistant))
  }
}

/// `comlink assistant sessions`: calls that were.
struct AssistantSessionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sessions", abstract: "Lists the sessions that are kept, the newest first.")

  @Option(name: .customShort("n"), help: ArgumentHelp("How many, 1…200.", valueName: "COUNT"))
  var limit = 20
  @Flag(help: "Prints JSON.") var json = false
  @OptionGroup var options: AssistantOptions

  func validate() throws {
    guard AssistantRequest.limitRange.contains(limit) else {
      throw ValidationError("-n must be from 1 to \(AssistantRequest.limitRange.upperBound)")
    }
  }

  func run() throws {
    let answer = try options.answer(to: .sessions(limit: limit, options.caller))
    guard let sessions = answer.sessions else { throw RemoteFailure.unexpectedAnswer }
    guard !json else { return print(try RemoteOptions.pretty(sessions)) }
    if sessions.isEmpty { PlainText.note("no sessions are kept") }
    for session in sessions {
      let line = SessionTable.line(session, time: LocalTime.text(session.startedUnixSeconds))
      guard StandardOutput.write(line + "\n") else { return }
    }
  }
}

/// `comlink assistant show SESSION`: what was said.
struct AssistantShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Shows a session: title, summary, what was said.")

  @Argument(help: ArgumentHelp("As sessions lists it.", valueName: "SESSION")) var session: String
  @Flag(help: "Prints JSON.") var json = false
  @OptionGroup var options: AssistantOptions

  func run() throws {
    let answer = try options.answer(to: .show(session: session, options.caller))
    guard let session = answer.session else { throw RemoteFailure.unexpectedAnswer }
    guard !json else { return print(try RemoteOptions.pretty(session)) }
    let text = SessionTable.text(session, time: { LocalTime.text($0) })
    _ = StandardOutput.write(text)
  }
}

/// `comlink assistant delete`: deletes what is kept.
struct AssistantDeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Deletes a session, or all of them.")

  @Argument(help: ArgumentHelp("As sessions lists it.", valueName: "SESSION")) var session: String?
  @Flag(help: "Deletes all.") var all = false
  @OptionGroup var options: AssistantOptions

  func validate() throws {
    guard (session == nil) == all else {
      throw ValidationError("name a session, or give --all")
    }
  }

  func run() throws {
    _ = try options.answer(to: .delete(session: session, options.caller))
  }
}

extension RemoteOptions {
  /// JSON for people.
  static func pretty(_ value: some Encodable) throws(RemoteFailure) -> String {
    do throws(RemoteError) {
      return try JSONLine.pretty(value)
    } catch {
      throw .remote(error)
    }
  }
}
