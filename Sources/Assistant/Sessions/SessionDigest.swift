/// What a session was about, in the model's words.
public struct SessionDigest: Hashable, Sendable {
  /// A few words.
  public var title: String
  /// A sentence or three.
  public var summary: String

  /// A title and a summary.
  public init(title: String, summary: String) { (self.title, self.summary) = (title, summary) }
}

extension SessionDigest {
  private static let mostTitleLetters = 60
  private static let mostSummaryLetters = 1000
  /// Octets of the transcript that the model is shown: its end.
  private static let mostTranscriptBytes = 8 << 10

  /// What the model is asked after the end.
  public static func query(_ turns: [SessionTurn]) -> ChatQuery {
    var lines: [String] = []
    var byteCount = 0
    for turn in turns.reversed() {
      let line = "\(turn.speaker == .user ? "User" : "Assistant"): \(turn.text)"
      byteCount += line.utf8.count
      guard lines.isEmpty || byteCount <= mostTranscriptBytes else { break }
      lines.insert(line, at: 0)
    }
    let task = """
      You write the record of a conversation. Answer with two lines and nothing else:
      Title: what it was about, in at most six words
      Summary: what was asked and what was answered, in one to three sentences
      """
    return ChatQuery(
      [
        ChatMessage(.system, task),
        ChatMessage(.user, "The conversation:\n\n" + lines.joined(separator: "\n")),
      ], mostTokens: 160)
  }

  /// Reads what the model wrote, in whatever form; what it left out is taken from what was said.
  ///
  /// - Returns: nil: nothing was said.
  public init?(answer: String, of turns: [SessionTurn]) {
    guard let first = turns.first(where: { $0.speaker == .user }) else { return nil }
    let lines = answer.split(whereSeparator: \.isNewline).map { String($0).trimmed }
    let title = lines.compactMap { Self.field("title", of: $0) }.first
    let named = lines.firstIndex { Self.field("summary", of: $0) != nil }
    var summary = lines.filter { Self.field("title", of: $0) == nil }.joined(separator: " ")
    if let named {
      let head = Self.field("summary", of: lines[named]) ?? ""
      summary = ([head] + lines[(named + 1)...]).joined(separator: " ")
    }
    self.title = Self.short(title ?? "", Self.mostTitleLetters)
    self.summary = Self.short(summary, Self.mostSummaryLetters)
    if self.title.isEmpty { self.title = Self.short(first.text, Self.mostTitleLetters) }
  }

  /// What follows `Title:` or `**Title:**`.
  private static func field(_ name: String, of line: String) -> String? {
    let bare = line.drop { !$0.isLetter }
    guard bare.lowercased().hasPrefix(name), let colon = bare.firstIndex(of: ":"),
      bare[..<colon].allSatisfy({ $0.isLetter || $0 == "*" || $0 == " " })
    else { return nil }
    return String(bare[bare.index(after: colon)...]).trimmed
  }

  private static func short(_ text: String, _ most: Int) -> String {
    let clean = text.unicodeScalars.filter { $0 != "*" && $0 != "#" && $0 != "\"" }
    let line = String(String.UnicodeScalarView(clean)).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    guard line.count > most else { return line }
    let cut = line.prefix(most - 1)
    let word = cut.lastIndex(where: \.isWhitespace).map { cut[..<$0] } ?? cut
    return word + "…"
  }
}
