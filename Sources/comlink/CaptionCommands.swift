internal import ArgumentParser
internal import FoundationEssentials
internal import Glibc
internal import Remote
internal import StatusSchema

/// `comlink captions`: what is spoken, as text.
struct CaptionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "captions", abstract: "Shows and makes captions; show is the default.",
    subcommands: [
      CaptionsShowCommand.self, CaptionsListCommand.self, CaptionsOnCommand.self,
      CaptionsOffCommand.self, CaptionsRefuseCommand.self, CaptionsClearCommand.self,
      CaptionsKeepCommand.self,
      CaptionsExportCommand.self,
    ], defaultSubcommand: CaptionsShowCommand.self)
}

/// `comlink captions show`, or `comlink captions`: what was said, and what is said.
struct CaptionsShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Shows captions, the oldest first.",
    discussion: """
      Each line: when it began, since its session did, who says it, and what. A line with … at its end may still change; \
      with --follow on a terminal it is replaced as words come.
      """)

  @Option(help: ArgumentHelp("Of one session, as comlink captions list has it.", valueName: "ID"))
  var session: String?
  @Option(
    help: ArgumentHelp("With all of these words, or words that begin so.", valueName: "WORDS"))
  var search: String?
  @Option(name: .customShort("n"), help: ArgumentHelp("How many, 1…500.", valueName: "COUNT"))
  var limit = 50
  @Flag(help: "Goes on with what comes, until Ctrl-C.") var follow = false
  @Flag(help: "Of what is kept, see comlink captions keep; with date and time.") var kept = false
  @Flag(help: "Prints JSON, one chunk a line; with --follow each change.") var json = false
  @OptionGroup var remote: RemoteOptions

  func validate() throws {
    guard CaptionQuery.limitRange.contains(limit) else {
      throw ValidationError("-n must be from 1 to \(CaptionQuery.limitRange.upperBound)")
    }
    guard !kept || !follow else { throw ValidationError("give --kept or --follow") }
  }

  func run() throws {
    var query = CaptionQuery()
    (query.session, query.limit, query.search) = (session, limit, search)
    if kept { query.isKept = true }
    var page = CaptionPage(isJSON: json, isFollowing: follow)
    var daemon = FollowedDaemon()
    let first = try daemon.first(follows: follow) { try Self.ask(query, remote) }
    if first.isEmpty, !follow, !json { PlainText.note("no captions") }
    try page.show(first)
    var last = first.map(\.number).max() ?? 0
    query.limit = CaptionQuery.limitRange.upperBound
    query.waitSeconds = CaptionQuery.waitRangeSeconds.upperBound
    while follow {
      query.after = last
      guard let changed = try daemon.answer(to: { try Self.ask(query, remote) }) else {
        // Its next run counts from the beginning, and has no words that may still change.
        last = 0
        try page.dropPartials()
        continue
      }
      try page.show(changed)
      last = changed.map(\.number).max() ?? last
    }
  }

  /// Chunks that the node has.
  static func ask(_ query: CaptionQuery, _ remote: RemoteOptions) throws -> [CaptionStatus] {
    var client = try remote.connect(timeout: .seconds(5) + .seconds(query.waitSeconds ?? 0))
    let answer = try RemoteOptions.answer(of: &client, to: .captions(.show(query)))
    guard case .captions(let chunks) = answer else { throw RemoteFailure.unexpectedAnswer }
    return chunks
  }
}

/// Captions as they run down standard output: what stays is printed once, what may change stands below it.
private struct CaptionPage {
  private struct Place: Hashable {
    let session: String
    let index: Int
  }

  private let isJSON: Bool
  private let isFollowing: Bool
  /// Whether lines can be replaced.
  private let isTerminal = TerminalTraits.ofThisProcess != nil
  private var open: [Place: CaptionStatus] = [:]
  private var printed: Set<Place> = []
  private var openLines = 0

  init(isJSON: Bool, isFollowing: Bool) {
    (self.isJSON, self.isFollowing) = (isJSON, isFollowing)
  }

  mutating func show(_ chunks: [CaptionStatus]) throws {
    guard !isJSON else { return try chunks.forEach { try write(try Self.json($0)) } }
    var text = erasure
    for chunk in chunks {
      let place = Place(session: chunk.session, index: chunk.index)
      open[place] = nil
      guard chunk.isFinal || !isFollowing else {
        open[place] = chunk
        continue
      }
      guard !printed.contains(place), !chunk.text.isEmpty else { continue }
      if isFollowing { printed.insert(place) }
      text += (chunk.unixSeconds.map { LocalTime.text($0) + "  " } ?? "") + CaptionTable.text(chunk)
    }
    openLines = 0
    if isTerminal {
      let (columns, rows) = Self.size
      let lines = open.values.sorted { ($0.startSeconds, $0.index) < ($1.startSeconds, $1.index) }
        .suffix(max(1, rows - 2))
      for chunk in lines { text += CaptionTable.partial(chunk, columns: columns - 1) + "\n" }
      openLines = lines.count
    }
    try write(text)
  }

  /// What may still have changed does not any more.
  mutating func dropPartials() throws {
    open = [:]
    if !isJSON { try show([]) }
  }

  /// Removes the lines that may have changed.
  private var erasure: String { openLines == 0 ? "" : "\u{1B}[\(openLines)A\r\u{1B}[J" }

  private static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return (80, 24)
    }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  private static func json(_ chunk: CaptionStatus) throws -> String {
    do throws(RemoteError) {
      return String(decoding: try JSONLine.encode(chunk), as: UTF8.self) + "\n"
    } catch {
      throw RemoteFailure.remote(error)
    }
  }

  private func write(_ text: String) throws {
    guard text.isEmpty || StandardOutput.write(text) else { throw ExitCode.success }
  }
}

/// `comlink captions list`: the sessions that this node holds.
struct CaptionsListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists sessions of captions: who captions what, and who refuses."
  )

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    let answer = try RemoteOptions.answer(of: &client, to: .status)
    guard case .status(let status) = answer else { throw RemoteFailure.unexpectedAnswer }
    guard let captions = status.captions else {
      throw RemoteFailure.refused("this comlinkd knows no captions; update it")
    }
    for session in captions.hosted { print(CaptionTable.text(session), terminator: "") }
    for session in captions.sessions { print(CaptionTable.text(session), terminator: "") }
    if captions.sessions.isEmpty, captions.hosted.isEmpty { PlainText.note("no captions") }
    if captions.isRefused { print("this node refuses to be captioned") }
    for name in captions.refusers { print("\(PlainText.cleaned(name)) refuses to be captioned") }
    for problem in [captions.problem, captions.transcriptProblem].compactMap(\.self) {
      PlainText.note(PlainText.cleaned(problem))
    }
  }
}

/// `comlink captions on`: this node captions.
struct CaptionsOnCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "on", abstract: "Captions what this node hears, and its own microphone.",
    discussion: """
      All members are told. Text goes to whoever the voice went to: those on a line that it was spoken on, in a group of \
      the talker's. Private calls are not captioned, nor is whoever refuses. It takes a service that recognises speech, \
      asr in the table [speech].
      """)

  @Option(help: ArgumentHelp("This line only; else all that this node is on.", valueName: "LINE"))
  var line: String?
  @Option(
    help: ArgumentHelp("These members only, by name, words or fingerprint.", valueName: "A,B,…"))
  var members: String?
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    let names = members?.split(separator: ",").map(String.init) ?? []
    try remote.ask(.captions(.begin(line: line, members: names)))
  }
}

/// `comlink captions off`: it captions no more.
struct CaptionsOffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "off", abstract: "Captions no more; what was said stays to be read.")

  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.captions(.end)) }
}

/// `comlink captions refuse on|off`: this node's user is not captioned.
struct CaptionsRefuseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refuse", abstract: "Refuses to be captioned by anybody, or no more.",
    discussion: "All members are told. It holds from now on, and across restarts.")

  @Argument(help: "on or off.") var position: TalkCommand.Position
  @OptionGroup var remote: RemoteOptions

  func run() throws { try remote.ask(.captions(.refuse(isOn: position == .on))) }
}

/// `comlink captions clear`: deletes what is over.
struct CaptionsClearCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clear", abstract: "Deletes sessions of captions that are over, on this node.",
    discussion: """
      They are in memory only: a restart deletes them, too. What is kept stays, see comlink captions keep.
      """)

  @OptionGroup var remote: RemoteOptions

  func run() throws {
    var client = try remote.connect()
    let answer = try RemoteOptions.answer(of: &client, to: .captions(.clear))
    if case .done(let note) = answer { print(PlainText.cleaned(note)) }
  }
}

/// `comlink captions keep [DAYS|off]`: how long what is read here is kept.
struct CaptionsKeepCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep", abstract: "Says how long this node keeps captions, to be searched.",
    discussion: """
      Off unless you set it. What this node reads is kept on its disk then, so many days from the end of its session; \
      comlink captions --kept --search WORDS finds it. With off what was kept is deleted, and overwritten. Tell the \
      others: what they say can be read here later.
      """)

  @Argument(
    help: ArgumentHelp(
      "1 to 3650, or off. If left out, it is only shown.", valueName: "DAYS|off"))
  var days: String?
  @OptionGroup var remote: RemoteOptions

  func validate() throws { _ = try number }

  private var number: Int? {
    get throws {
      guard let days else { return nil }
      guard days != "off" else { return 0 }
      guard let number = Int(days), number > 0, CaptionRequest.daysRange.contains(number) else {
        throw ValidationError("give 1 to \(CaptionRequest.daysRange.upperBound) days, or off")
      }
      return number
    }
  }

  func run() throws {
    var client = try remote.connect(timeout: .seconds(30))
    let answer = try RemoteOptions.answer(of: &client, to: .captions(.keep(days: try number)))
    if case .done(let note) = answer { print(PlainText.cleaned(note)) }
  }
}
