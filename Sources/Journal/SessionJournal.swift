public import Assistant
public import Messages

/// Calls with the assistant on the disk, and who agreed to what.
///
/// A file of its own, beside the messages: where nobody agreed to anything there is none, and what is deleted is
/// overwritten. One call at a time; each may wait for the disk. What a call returned from survives a power cut.
public final class SessionJournal {
  private let database: Database

  /// Opens the journal in a file, or in memory.
  ///
  /// - Parameter path: nil: nothing is kept beyond this value.
  public init(path: String?) throws(JournalError) {
    if let path { try Journal.make(path) }
    do throws(DatabaseError) {
      database = try Database(path: path ?? ":memory:")
      try database.run("PRAGMA secure_delete = ON")
      try database.run("PRAGMA foreign_keys = ON")
      guard try Schema.bring(database, by: SessionSchema.steps) else {
        throw DatabaseError(result: DatabaseError.laterVersion, path: database.path)
      }
    } catch {
      throw error.journalError
    }
  }

  /// What somebody agreed to.
  public func consent(of caller: String) throws(JournalError) -> Consent? {
    try asking { () throws(DatabaseError) in
      try database.query(
        "SELECT destination, keeps, agreed FROM consent WHERE caller = ?", [.text(caller)]
      ) {
        Consent(
          caller: caller, destination: $0.text(0), keeps: $0.number(1) != 0,
          unixMilliseconds: $0.number(2))
      }.first
    }
  }

  /// Keeps what somebody agreed to.
  public func keep(_ consent: Consent) throws(JournalError) {
    try asking { () throws(DatabaseError) in
      try database.execute(
        "INSERT OR REPLACE INTO consent VALUES (?, ?, ?, ?)",
        [
          .text(consent.caller), .text(consent.destination), .number(consent.keeps ? 1 : 0),
          .number(consent.unixMilliseconds),
        ])
    }
  }

  /// Forgets that somebody agreed, and all sessions of theirs.
  public func withdraw(_ caller: String) throws(JournalError) {
    try asking { () throws(DatabaseError) in
      try database.execute("DELETE FROM consent WHERE caller = ?", [.text(caller)])
      try database.execute("DELETE FROM session WHERE caller = ?", [.text(caller)])
      try wipe()
    }
  }

  /// Keeps a session as it is now, in the place of one of its ID; its turns stay.
  public func keep(_ session: AssistantSession) throws(JournalError) {
    try asking { () throws(DatabaseError) in
      try database.execute(
        """
        INSERT INTO session VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
          ended = excluded.ended, title = excluded.title, summary = excluded.summary
        """,
        [
          .text(session.id), .text(session.caller), .text(session.context.rawValue),
          .number(session.startedUnixMilliseconds),
          session.endedUnixMilliseconds.map { .number($0) } ?? .null,
          session.digest.map { .text($0.title) } ?? .null,
          session.digest.map { .text($0.summary) } ?? .null,
        ])
    }
  }

  /// Adds what was said; nothing where there is no such session.
  public func add(_ turn: SessionTurn, to session: String) throws(JournalError) {
    try asking { () throws(DatabaseError) in
      try database.execute(
        """
        INSERT INTO turn (session, speaker, text, said, interrupted)
        SELECT ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM session WHERE id = ?)
        """,
        [
          .text(session), .text(turn.speaker.rawValue), .text(turn.text),
          .number(turn.unixMilliseconds), .number(turn.isInterrupted ? 1 : 0), .text(session),
        ])
    }
  }

  /// The last sessions, the newest first.
  ///
  /// - Parameter caller: whose; nil: everybody's.
  public func sessions(
    of caller: String?, limit: Int
  ) throws(JournalError) -> [AssistantSession] {
    try asking { () throws(DatabaseError) in
      try database.query(
        """
        SELECT id, caller, context, started, ended, title, summary, ended IS NOT NULL,
          title IS NOT NULL FROM session
        \(caller == nil ? "" : "WHERE caller = ?") ORDER BY started DESC, id LIMIT ?
        """,
        (caller.map { [.text($0)] } ?? []) + [.number(Int64(clamping: max(0, limit)))],
        row: Self.session)
    }
  }

  /// A session.
  public func session(_ id: String) throws(JournalError) -> AssistantSession? {
    try asking { () throws(DatabaseError) in
      try database.query(
        """
        SELECT id, caller, context, started, ended, title, summary, ended IS NOT NULL,
          title IS NOT NULL FROM session WHERE id = ?
        """, [.text(id)], row: Self.session
      ).first
    }
  }

  /// What was said in a session, the oldest first.
  public func turns(of session: String) throws(JournalError) -> [SessionTurn] {
    try asking { () throws(DatabaseError) in
      try database.query(
        """
        SELECT speaker, text, said, interrupted FROM turn WHERE session = ? ORDER BY number
        """, [.text(session)]
      ) {
        SessionTurn(
          SessionTurn.Speaker(rawValue: $0.text(0)) ?? .user, $0.text(1),
          unixMilliseconds: $0.number(2), isInterrupted: $0.number(3) != 0)
      }
    }
  }

  /// Deletes a session; false: there is none of that ID.
  public func delete(_ id: String) throws(JournalError) -> Bool {
    try asking { () throws(DatabaseError) in
      let count = try database.removing("DELETE FROM session WHERE id = ?", [.text(id)])
      if count > 0 { try wipe() }
      return count > 0
    }
  }

  /// Deletes sessions, of one caller or all.
  ///
  /// - Returns: how many.
  public func deleteAll(of caller: String?) throws(JournalError) -> Int {
    try asking { () throws(DatabaseError) in
      let filter = caller == nil ? "" : "WHERE caller = ?"
      let count = try database.removing(
        "DELETE FROM session \(filter)", caller.map { [.text($0)] } ?? [])
      try wipe()
      return count
    }
  }

  /// Deletes what is older than so many days, and what was begun and never said anything.
  ///
  /// - Returns: how many sessions went.
  public func prune(days: Int, unixMilliseconds now: Int64) throws(JournalError) -> Int {
    try asking { () throws(DatabaseError) in
      let count = try database.removing(
        "DELETE FROM session WHERE coalesce(ended, started) < ?",
        [.number(now - Int64(days) * 86_400_000)])
      if count > 0 { try wipe() }
      return count
    }
  }

  /// What was deleted is in no free page and in no log.
  private func wipe() throws(DatabaseError) {
    try database.run("VACUUM")
    try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private func asking<Answer>(
    _ body: () throws(DatabaseError) -> Answer
  ) throws(JournalError) -> Answer {
    do throws(DatabaseError) { return try body() } catch { throw error.journalError }
  }

  private static func session(
    _ line: borrowing Database.Line
  ) throws(DatabaseError) -> AssistantSession {
    var session = AssistantSession(
      id: line.text(0), caller: line.text(1),
      context: AssistantSession.Context(rawValue: line.text(2)) ?? .node,
      startedUnixMilliseconds: line.number(3))
    if line.number(7) != 0 { session.endedUnixMilliseconds = line.number(4) }
    if line.number(8) != 0 {
      session.digest = SessionDigest(title: line.text(5), summary: line.text(6))
    }
    return session
  }
}
