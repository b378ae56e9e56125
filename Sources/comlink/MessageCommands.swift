internal import ArgumentParser
internal import Glibc
internal import Remote
internal import StatusSchema
internal import System

/// `comlink say TO TEXT`: sends a message.
struct SayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "say", abstract: "Sends a message to a member, a line or a group.",
    discussion: """
      Who is away gets it when it is back: this node keeps it for a week, and so do up to three members that are on. \
      They cannot read what is for one member. On a line it is for those who are on it, or were when they were here last. \
      comlink messages shows how far it is. With --aloud it is spoken at the stations that it reaches at once, if they \
      have a speech service (speech-tts) and nobody there said to be deaf; for all others it is a text.
      """)

  @Option(
    help: ArgumentHelp(
      "Says that in place of an own text, by its number in comlink messages; then without TO.",
      valueName: "NUMBER"))
  var edit: Int64?
  @Argument(
    help: ArgumentHelp(
      """
      A member's name, words or fingerprint; a line, or line:NAME where a member is called so, too; group, or group:NAME \
      where this node is in several.
      """, valueName: "MEMBER|LINE|group"))
  var to: String
  @Argument(
    help: ArgumentHelp(
      "At most 4096 bytes; - reads it from standard input.", valueName: "TEXT"))
  var text: [String] = []
  @Flag(help: "Lets it be spoken where it arrives; at most 500 characters.") var aloud = false
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard edit != nil || !text.isEmpty else {
      throw ValidationError("Missing expected argument '<TEXT> ...'")
    }
    guard edit == nil || !aloud else {
      throw ValidationError("--aloud is for a new text, not with --edit")
    }
  }

  func run() throws {
    let words = edit == nil ? text : [to] + text
    let text = try words == ["-"] ? Self.standardInput() : words.joined(separator: " ")
    // A slow disk may take its time.
    var client = try remote.connect(timeout: .seconds(15))
    let answer = try RemoteOptions.answer(
      of: &client,
      to: edit.map { .messageAct(.edit(number: $0, text: text)) }
        ?? .say(to: to, text: text, isAloud: aloud))
    guard case .messages = answer else { throw RemoteFailure.unexpectedAnswer }
  }

  /// Without the line end at its end; no more of it than is needed to see that it is too much.
  static func standardInput() throws -> String {
    var octets: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 65_536)
    while octets.count < room.count {
      let count = unsafe read(STDIN_FILENO, &room, room.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw ValidationError("cannot read standard input: \(errorWords(errno))")
      }
      guard count > 0 else { break }
      octets += room[..<count]
    }
    guard octets.count < room.count else {
      throw ValidationError("standard input has more than a text may; send it in parts")
    }
    guard let text = String(validating: octets, as: UTF8.self) else {
      throw ValidationError("standard input is not UTF-8; convert it, with iconv for example")
    }
    return text.last?.isNewline == true ? String(text.dropLast()) : text
  }
}

/// `comlink messages`: what was said.
struct MessagesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "messages", abstract: "Shows and deletes messages; list is the default.",
    subcommands: [
      MessagesListCommand.self, MessagesReactCommand.self, MessagesClearCommand.self,
      MessagesKeepCommand.self,
    ],
    defaultSubcommand: MessagesListCommand.self)
}

/// `comlink messages list`, or `comlink messages`: what was said, and what comes.
struct MessagesListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Shows the last messages, the oldest first.",
    discussion: """
      Messages that are shown count as read, and their senders are told. Times are by this node's clock. An own message \
      says how many of those that it is for have it, and who does not.
      """)

  @OptionGroup var conversation: ConversationOptions
  @Option(
    help: ArgumentHelp(
      "Those with all of these words, or words that begin so.", valueName: "WORDS"))
  var search: String?
  @Option(name: .customShort("n"), help: ArgumentHelp("How many, 1…200.", valueName: "COUNT"))
  var limit = 50
  @Flag(help: "Goes on with those that come, until Ctrl-C.") var follow = false
  @Flag(help: "Leaves them unread.") var keepUnread = false
  @Flag(help: "Prints JSON, one message a line.") var json = false
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard MessageRequest.limitRange.contains(limit) else {
      throw ValidationError("-n must be from 1 to \(MessageRequest.limitRange.upperBound)")
    }
  }

  func run() throws {
    var request = MessageRequest()
    (request.with, request.search, request.limit) = (conversation.with, search, limit)
    request.marksRead = !keepUnread
    var daemon = FollowedDaemon()
    var shown = try daemon.first(follows: follow) { try show(request) }
    if shown == nil, !follow, !json { PlainText.note("no messages") }
    while follow {
      request.after = shown ?? 0
      request.limit = MessageRequest.limitRange.upperBound
      request.waitSeconds = MessageRequest.waitRangeSeconds.upperBound
      if let last = try daemon.answer(to: { try show(request) }) { shown = last ?? shown }
    }
  }

  /// Prints messages.
  ///
  /// - Returns: the number of the last one; nil: there was none.
  private func show(_ request: MessageRequest) throws -> Int64? {
    var client = try remote.connect(
      timeout: .seconds(15) + .seconds(request.waitSeconds ?? 0))
    let answer = try RemoteOptions.answer(of: &client, to: .messages(request))
    guard case .messages(let messages) = answer else { throw RemoteFailure.unexpectedAnswer }
    try messages.print(asJSON: json)
    return messages.last?.number
  }
}

/// `comlink messages clear`: deletes them here.
struct MessagesClearCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Deletes messages on this node.",
    discussion: """
      Other nodes keep what they have, and what is under way to them stays under way.
      """)

  @OptionGroup var conversation: ConversationOptions
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect(timeout: .seconds(30))
    let answer = try RemoteOptions.answer(of: &client, to: .messagesClear(with: conversation.with))
    if case .done(let note) = answer { print(PlainText.cleaned(note)) }
  }
}

/// `comlink messages react NUMBER EMOJI|none`: a sign at a message.
struct MessagesReactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "react", abstract: "Sets an emoji at a message, for all of its conversation.",
    discussion: "Each member has one at a message: another takes its place, none takes it back.")

  @Argument(help: ArgumentHelp("Its number in comlink messages.", valueName: "NUMBER"))
  var number: Int64
  @Argument(help: ArgumentHelp("At most 16 bytes; none takes it back.", valueName: "EMOJI|none"))
  var sign: String
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect(timeout: .seconds(15))
    let answer = try RemoteOptions.answer(
      of: &client, to: .messageAct(.react(number: number, sign: sign == "none" ? nil : sign)))
    guard case .messages = answer else { throw RemoteFailure.unexpectedAnswer }
  }
}

/// `comlink messages keep LINE DAYS|none|default`: how long those of a line stay.
struct MessagesKeepCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep", abstract: "Says how long this node keeps messages of a line.",
    discussion: """
      They stay so long once they are read, voice messages too. With none they go a minute after they were read and \
      delivered to all, from the disk too, and those of before at once. Other nodes keep what they are told to.
      """)

  @Argument(help: ArgumentHelp("The line's name.", valueName: "LINE")) var line: String
  @Argument(
    help: ArgumentHelp(
      "1 to 3650, none, or default: as --message-days says. If left out, it is only shown.",
      valueName: "DAYS|none|default"))
  var days: String?
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect(timeout: .seconds(30))
    let answer = try RemoteOptions.answer(
      of: &client, to: .messageAct(.keep(line: line, days: days)))
    if case .done(let note) = answer { print(PlainText.cleaned(note)) }
  }
}

/// One conversation; all, if left out.
struct ConversationOptions: ParsableArguments {
  @Option(
    name: .customLong("with"),
    help: ArgumentHelp(
      "Those with one member, on a line (line:NAME), or of a group (group, group:NAME).",
      valueName: "MEMBER|LINE|group"))
  var whom: String?
  @Option(help: ArgumentHelp("Those on a line.", valueName: "LINE")) var line: String?

  func validate() throws {
    guard whom == nil || line == nil else { throw ValidationError("give --with or --line") }
  }

  /// As a request names it.
  var with: String? { line.map { $0.hasPrefix("line:") ? $0 : "line:\($0)" } ?? whom }
}

/// Times as people on this machine read them.
enum LocalTime {
  /// Month, day, hour and minute.
  static func text(_ unixSeconds: Double) -> String {
    var seconds = time_t(max(0, min(unixSeconds, 1e11)))
    var parts = unsafe tm()
    unsafe localtime_r(&seconds, &parts)
    let date = unsafe (parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday)
    let clock = unsafe (parts.tm_hour, parts.tm_min)
    return "\(date.0)-\(two(date.1))-\(two(date.2)) \(two(clock.0)):\(two(clock.1))"
  }

  private static func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
}

extension [MessageStatus] {
  /// One after the other; ends the program in silence where nobody reads on.
  func print(asJSON isJSON: Bool) throws {
    for message in self {
      let text: String
      if isJSON {
        do throws(RemoteError) {
          text = String(decoding: try JSONLine.encode(message), as: UTF8.self) + "\n"
        } catch {
          throw RemoteFailure.remote(error)
        }
      } else {
        text = MessageTable.text(message, time: LocalTime.text(message.takenUnixSeconds))
      }
      guard StandardOutput.write(text) else { throw ExitCode.success }
    }
  }
}
