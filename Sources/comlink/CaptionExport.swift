internal import ArgumentParser
internal import Captions
internal import Cryptography
internal import Glibc
internal import Remote
internal import StatusSchema
internal import System

/// `comlink captions export`: a session as a file.
struct CaptionsExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Writes what this node holds of a session to a file.",
    discussion:
      "What may still change is left out. The file must not be there yet; - is standard output.")

  /// What a file is for.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case txt, srt, vtt, json

    var transcript: TranscriptFormat {
      switch self {
      case .txt: .text
      case .srt: .subRip
      case .vtt: .webVTT
      case .json: .json
      }
    }
  }

  @Option(help: ArgumentHelp("txt, srt, vtt, or json: an object a line.", valueName: "FORMAT"))
  var format = Format.txt
  @Option(
    help: ArgumentHelp("Which, by name, host or ID; else the only one.", valueName: "SESSION"))
  var session: String?
  @Argument(help: "The file.") var file: String
  @OptionGroup var remote: RemoteOptions

  func run() throws {
    let title = try title()
    var all: [CaptionStatus] = []
    var query = CaptionQuery()
    (query.session, query.limit, query.after) = (
      title.session, CaptionQuery.limitRange.upperBound, 0
    )
    while true {
      let some = try CaptionsShowCommand.ask(query, remote)
      all += some
      guard let last = some.last, some.count == query.limit else { break }
      query.after = last.number
    }
    try Self.write(Self.text(all, title, format.transcript), to: file)
  }

  /// The session that is meant.
  private func title() throws -> TranscriptTitle {
    var client = try remote.connect()
    let answer = try RemoteOptions.answer(of: &client, to: .status)
    guard case .status(let status) = answer, let captions = status.captions else {
      throw RemoteFailure.unexpectedAnswer
    }
    let hosted = captions.hosted.filter { held in
      session.map { [held.session, held.name, held.host].contains($0) } ?? (held.chunks > 0)
    }
    .map { TranscriptTitle(session: $0.session, captioner: $0.host, scope: $0.name) }
    let others = captions.sessions.filter { held in
      session.map { [held.session, held.captioner].contains($0) } ?? (held.chunks > 0)
    }
    .map { TranscriptTitle(session: $0.session, captioner: $0.captioner, scope: $0.scope) }
    let found = hosted + others
    guard let title = found.first else {
      throw RemoteFailure.refused("there is no such session here; comlink session list has those")
    }
    guard found.count == 1 else {
      let ids = found.prefix(8).map(\.session).joined(separator: ", ")
      throw RemoteFailure.refused(
        "several sessions will do; give the ID of one with --session: \(ids)")
    }
    return title
  }

  private static func text(
    _ all: [CaptionStatus], _ title: TranscriptTitle, _ format: TranscriptFormat
  ) -> String {
    // A chunk that changed while it was read is there twice; the last holds.
    var latest: [String: CaptionStatus] = [:]
    for chunk in all { latest["\(chunk.session) \(chunk.index)"] = chunk }
    let settled = latest.values
      .filter { $0.isFinal && $0.isAlert != true && $0.text.contains { !$0.isWhitespace } }
      .sorted { ($0.startSeconds, $0.session, $0.index) < ($1.startSeconds, $1.session, $1.index) }
    var text = format.head(title)
    for (number, status) in settled.enumerated() {
      guard let chunk = chunk(status, number) else { continue }
      text += format.text(chunk, number: number, name: status.talker)
    }
    return text
  }

  private static func chunk(_ status: CaptionStatus, _ number: Int) -> CaptionChunk? {
    guard let node = NodeID(text: status.talkerID) else { return nil }
    let talker = CaptionTalker(
      node: node, name: status.talker, role: status.role ?? "",
      colourRGB: status.colour.flatMap { UInt32($0, radix: 16) })
    let words = CaptionWords(
      status.text, durationMilliseconds: milliseconds(status.seconds), isFinal: true,
      language: status.language ?? "",
      confidencePercent: status.confidence.map { UInt8(max(0, min(100, ($0 * 100).rounded()))) })
    return CaptionChunk(
      shownAs: UInt32(number), by: talker, startMilliseconds: milliseconds(status.startSeconds),
      words, isMarker: status.isMarker == true)
  }

  private static func milliseconds(_ seconds: Double) -> UInt32 {
    guard seconds.isFinite, seconds > 0 else { return 0 }
    return UInt32(min(Double(UInt32.max), (seconds * 1000).rounded()))
  }

  private static func write(_ text: String, to file: String) throws {
    guard file != "-" else {
      guard StandardOutput.write(text) else { throw ExitCode.success }
      return
    }
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw RemoteFailure.refused(Self.problem(file)) }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { all in
        unsafe Glibc.write(descriptor, all.baseAddress?.advanced(by: written), all.count - written)
      }
      guard count > 0 else { throw RemoteFailure.refused(Self.problem(file)) }
      written += count
    }
  }

  private static func problem(_ file: String) -> String {
    "\(PlainText.cleaned(file)) cannot be written: \(errorWords(errno))"
  }
}
