public import Messages

/// A session of captions that is kept.
public struct KeptTranscript: Hashable, Sendable {
  /// By which the session is known.
  public let id: String
  /// What is captioned, or what a hosted session is called.
  public let title: String
  /// Who captions, or hosts it, by name.
  public let captioner: String
  /// When it began, milliseconds since 1970 by this machine's clock.
  public let startedUnixMilliseconds: Int64

  /// Makes one.
  public init(id: String, title: String, captioner: String, startedUnixMilliseconds: Int64) {
    (self.id, self.title, self.captioner) = (id, title, captioner)
    self.startedUnixMilliseconds = startedUnixMilliseconds
  }
}

/// What somebody said, or what happened to a session, as it is kept.
public struct KeptSpeech: Hashable, Sendable {
  /// Which of its transcript's it is; another of the same place replaces it.
  public var place: Int64
  /// The ID of the talker's node.
  public var node: String
  /// What the talker was called.
  public var talker: String
  /// What the talker was for; empty: nobody said.
  public var role = ""
  /// The colour to show it in, 24 bits of red, green and blue.
  public var colourRGB: UInt32?
  /// Since the session began.
  public var startMilliseconds: Int64 = 0
  /// How long it takes.
  public var durationMilliseconds: Int64 = 0
  /// What.
  public var text: String
  /// BCP 47; empty: not known.
  public var language = ""
  /// Whether nobody says it: what happened to the session.
  public var isMarker = false

  /// Makes one that begins with its session.
  public init(place: Int64, node: String, talker: String, text: String) {
    (self.place, self.node, self.talker, self.text) = (place, node, talker, text)
  }
}

/// Transcripts of captions on the disk, where the user wants them kept.
///
/// A file of its own, beside the messages: where nobody wants it there is none, and what is deleted is overwritten. One
/// call at a time; each may wait for the disk. What a call returned from survives a power cut.
public final class TranscriptJournal {
  private let database: Database

  /// Opens the journal in a file, or in memory.
  ///
  /// - Parameter path: nil: nothing is kept beyond this value.
  public convenience init(path: String?) throws(JournalError) {
    if let path { try Journal.make(path) }
    do throws(DatabaseError) {
      try self.init(database: Database(path: path ?? ":memory:"))
    } catch {
      throw error.journalError
    }
  }

  init(
    database: Database, steps: [String] = TranscriptSchema.steps
  ) throws(DatabaseError) {
    self.database = database
    try database.run("PRAGMA secure_delete = ON")
    try database.run("PRAGMA foreign_keys = ON")
    // Else rows that go with their transcript would stay in the index of words.
    try database.run("PRAGMA recursive_triggers = ON")
    guard try Schema.bring(database, by: steps) else {
      throw DatabaseError(result: DatabaseError.laterVersion, path: database.path)
    }
  }

  /// Keeps what was said in a session.
  ///
  /// - Parameter isWhole: it is all of it, and takes the place of what was kept if it is as much.
  public func keep(
    _ speech: [KeptSpeech], of transcript: KeptTranscript, isWhole: Bool
  ) throws(JournalError) {
    try asking { () throws(DatabaseError) in
      try database.transaction { () throws(DatabaseError) in
        let last = speech.map { $0.startMilliseconds + $0.durationMilliseconds }.max() ?? 0
        try database.execute(
          """
          INSERT INTO transcript VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
            title = excluded.title, captioner = excluded.captioner,
            ended = max(ended, excluded.ended)
          """,
          [
            .text(transcript.id), .text(transcript.title), .text(transcript.captioner),
            .number(transcript.startedUnixMilliseconds),
            .number(transcript.startedUnixMilliseconds + last),
          ])
        if isWhole {
          let count =
            try database.query(
              "SELECT count(*) FROM chunk WHERE transcript = ?", [.text(transcript.id)]
            ) { $0.number(0) }.first ?? 0
          if count <= speech.count {
            try database.execute(
              "DELETE FROM chunk WHERE transcript = ?", [.text(transcript.id)])
          }
        }
        for one in speech { try put(one, transcript.id) }
      }
    }
  }

  private func put(_ speech: KeptSpeech, _ transcript: String) throws(DatabaseError) {
    try database.execute(
      """
      INSERT INTO chunk (transcript, place, node, talker, role, colour, start, duration, text,
        language, marker) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (transcript, place) DO UPDATE SET
        node = excluded.node, talker = excluded.talker, role = excluded.role,
        colour = excluded.colour, start = excluded.start, duration = excluded.duration,
        text = excluded.text, language = excluded.language, marker = excluded.marker
      """,
      [
        .text(transcript), .number(speech.place), .text(speech.node), .text(speech.talker),
        .text(speech.role), speech.colourRGB.map { .number(Int64($0)) } ?? .null,
        .number(speech.startMilliseconds), .number(speech.durationMilliseconds),
        .text(speech.text), .text(speech.language), .number(speech.isMarker ? 1 : 0),
      ])
  }

  /// The last that was said of what is asked for, in the order in which it was said.
  ///
  /// - Parameters:
  ///   - words: with all of these, or words that begin so; nil: whatever is in it.
  ///   - transcript: of that one; nil: of all.
  public func speech(
    words: String?, of transcript: String?, limit: Int
  ) throws(JournalError) -> [(transcript: KeptTranscript, speech: KeptSpeech)] {
    var (conditions, values) = ([String](), [Database.Value]())
    if let words {
      let match = Journal.match(words)
      guard !match.isEmpty else { return [] }
      conditions.append("number IN (SELECT rowid FROM chunk_text WHERE chunk_text MATCH ?)")
      values.append(.text(match))
    }
    if let transcript {
      conditions.append("transcript.id = ?")
      values.append(.text(transcript))
    }
    let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    values.append(.number(Int64(clamping: max(0, limit))))
    return try asking { () throws(DatabaseError) in
      try database.query(
        """
        SELECT transcript.id, title, captioner, started, place, node, talker, role, colour, start,
          duration, text, language, marker, colour IS NOT NULL
        FROM chunk JOIN transcript ON transcript.id = chunk.transcript \(filter)
        ORDER BY started + start DESC, place DESC LIMIT ?
        """, values, row: Self.row
      ).reversed()
    }
  }

  private static func row(
    _ line: borrowing Database.Line
  ) throws(DatabaseError) -> (transcript: KeptTranscript, speech: KeptSpeech) {
    let transcript = KeptTranscript(
      id: line.text(0), title: line.text(1), captioner: line.text(2),
      startedUnixMilliseconds: line.number(3))
    var speech = KeptSpeech(
      place: line.number(4), node: line.text(5), talker: line.text(6), text: line.text(11))
    speech.role = line.text(7)
    if line.number(14) != 0 { speech.colourRGB = UInt32(clamping: line.number(8)) }
    (speech.startMilliseconds, speech.durationMilliseconds) = (line.number(9), line.number(10))
    (speech.language, speech.isMarker) = (line.text(12), line.number(13) != 0)
    return (transcript, speech)
  }

  /// Deletes sessions that ended more than so many days ago.
  ///
  /// - Returns: how many.
  public func prune(days: Int, unixMilliseconds now: Int64) throws(JournalError) -> Int {
    try remove("WHERE ended < ?", [.number(now - Int64(days) * 86_400_000)])
  }

  /// Deletes all.
  ///
  /// - Returns: how many sessions.
  public func removeAll() throws(JournalError) -> Int { try remove("", []) }

  private func remove(
    _ filter: String, _ values: [Database.Value]
  ) throws(JournalError) -> Int {
    try asking { () throws(DatabaseError) in
      let count = try database.removing("DELETE FROM transcript \(filter)", values)
      guard count > 0 else { return 0 }
      // What was deleted is in no index, no free page and no log.
      try database.run("INSERT INTO chunk_text (chunk_text) VALUES ('optimize')")
      try database.run("VACUUM")
      try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
      return count
    }
  }

  private func asking<Answer>(
    _ body: () throws(DatabaseError) -> Answer
  ) throws(JournalError) -> Answer {
    do throws(DatabaseError) { return try body() } catch { throw error.journalError }
  }
}
