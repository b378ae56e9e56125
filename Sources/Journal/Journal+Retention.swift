public import Messages

/// How long messages of lines are kept.
extension Journal {
  /// Lines that can have days of their own.
  private static let mostLines = 256

  /// Keeps messages of a line so many days once they are read; 0: until they are delivered, too; nil: as all others.
  public func keep(_ line: LineTag, days: Int?) throws(JournalError) {
    guard days == nil || lineDays[line] != nil || lineDays.count < Self.mostLines else {
      throw JournalError(
        "\(Self.mostLines) lines have days of their own; set some to default first")
    }
    do throws(DatabaseError) {
      let key = Self.values(.line(line))
      if let days {
        try database.execute(
          "INSERT OR REPLACE INTO retention VALUES (?, ?, ?)", key + [.number(Int64(days))])
      } else {
        try database.execute("DELETE FROM retention WHERE kind = ? AND tag = ?", key)
      }
    } catch {
      throw error.journalError
    }
    lineDays[line] = days
  }

  /// How many days messages of a line are kept; nil: as all others.
  public func days(of line: LineTag) -> Int? { lineDays[line] }

  /// Whether any line keeps nothing.
  public var letsPass: Bool { lineDays.values.contains(0) }

  func readLineDays() throws(DatabaseError) -> [LineTag: Int] {
    let rows = try database.query("SELECT kind, tag, days FROM retention") {
      (Self.conversation(kind: $0.number(0), $0.bytes(1)), Int($0.number(2)))
    }
    return rows.reduce(into: [:]) { days, row in
      if case .line(let tag) = row.0 { days[tag] = row.1 }
    }
  }

  /// Forgets what was read and delivered of lines that keep nothing; its octets are overwritten.
  ///
  /// - Parameter number: nothing beyond it goes.
  /// - Returns: how many messages went.
  public func removePassed(upTo number: Int64) throws(JournalError) -> Int {
    guard letsPass else { return 0 }
    let passed = """
      FROM message WHERE id <= ? AND (conversation_kind, conversation) IN
          (SELECT kind, tag FROM retention WHERE days = 0)
        AND sequence <= coalesce((SELECT read FROM mark WHERE node = sender), sequence)
        AND NOT EXISTS (SELECT 1 FROM held WHERE held.sender = message.sender
          AND held.sequence = message.sequence)
      """
    do throws(DatabaseError) {
      let some = try database.query("SELECT 1 \(passed) LIMIT 1", [.number(number)]) {
        $0.number(0)
      }
      guard !some.isEmpty else { return 0 }
      return try scrubbing { () throws(DatabaseError) in
        try database.removing("DELETE \(passed)", [.number(number)])
      }
    } catch {
      throw error.journalError
    }
  }

  /// What the body removes is overwritten: in the tables, in the index of words and in the log.
  func scrubbing<Value>(_ body: () throws(DatabaseError) -> Value) throws(DatabaseError) -> Value {
    do throws(DatabaseError) {
      try database.run("PRAGMA secure_delete = ON")
      let value = try body()
      try database.run("INSERT INTO message_text (message_text) VALUES ('optimize')")
      try database.run("PRAGMA secure_delete = OFF")
      try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
      return value
    } catch {
      _ = try? database.run("PRAGMA secure_delete = OFF")
      throw error
    }
  }
}
