public import Cryptography
public import Messages

/// A message of the history, by its number on this node.
public struct HistoryEntry: Hashable, Sendable {
  /// Its number here: it grows with each message, and is never used again.
  public let number: Int64
  /// The message.
  public let message: Message
  /// Whether this node's user read it, or wrote it.
  public let isRead: Bool
  /// When its text was changed last, by its sender's clock: milliseconds since 1970; nil: never.
  public let editedUnixMilliseconds: Int64?
  /// The signs at it, in the order of their coming.
  public var reactions: [HistoryReaction] = []
  /// What is said in a voice message; nil: that is not known, or nothing.
  public var transcript: String?

  /// Makes an entry.
  public init(
    number: Int64, message: Message, isRead: Bool, editedUnixMilliseconds: Int64? = nil
  ) {
    self.number = number
    self.message = message
    self.isRead = isRead
    self.editedUnixMilliseconds = editedUnixMilliseconds
  }
}

/// A sign at a message.
public struct HistoryReaction: Hashable, Sendable {
  /// By whom.
  public let node: NodeID
  /// The sign.
  public let sign: String
}

/// Which messages of the history.
public struct HistoryQuery: Hashable, Sendable {
  /// Of one conversation; nil: of all.
  public var conversation: Conversation?
  /// With all of these words in them, or words that begin so; nil: all.
  public var words: String?
  /// Above this number; nil: from the first on.
  public var after: Int64?
  /// Below this number; nil: to the last.
  public var before: Int64?
  /// Voice messages only.
  public var isVoice = false
  /// Voice messages only that nobody listened to for a transcript.
  public var isUnheard = false
  /// The last so many of these.
  public var limit = 50

  /// The last 50 of all.
  public init() {}

  /// The last 200 voice messages that nobody listened to for a transcript.
  public static var unheard: HistoryQuery {
    var query = HistoryQuery()
    (query.isUnheard, query.limit) = (true, 200)
    return query
  }
}

/// How long messages are kept after they were read.
public struct HistoryRetention: Hashable, Sendable {
  /// Days that a message is kept; 0: until it is read and delivered.
  public var days: Int
  /// The same of a voice message.
  public var voiceDays: Int
  /// Octets of all messages together, about.
  public var bytes: Int

  /// 30 days, voice messages 7, and 100 MB, unless said otherwise.
  public init(days: Int = 30, voiceDays: Int = 7, bytes: Int = 100_000_000) {
    self.days = days
    self.voiceDays = voiceDays
    self.bytes = bytes
  }
}

/// What has been said, for people.
extension Journal {
  /// Messages, the oldest first.
  public func messages(_ query: HistoryQuery) throws(JournalError) -> [HistoryEntry] {
    var (conditions, values): ([String], [Database.Value]) = ([], [])
    if let conversation = query.conversation {
      conditions.append("conversation_kind = ? AND conversation = ?")
      values += Self.values(conversation)
    }
    if let after = query.after {
      conditions.append("id > ?")
      values.append(.number(after))
    }
    if let before = query.before {
      conditions.append("id < ?")
      values.append(.number(before))
    }
    if query.isUnheard { conditions.append("kind = 2 AND heard = 0") }
    if query.isVoice { conditions.append("kind = 2") }
    if let words = query.words {
      let match = Self.match(words)
      guard !match.isEmpty else { return [] }
      conditions.append("id IN (SELECT rowid FROM message_text WHERE message_text MATCH ?)")
      values.append(.text(match))
    }
    values.append(.number(Int64(clamping: max(0, query.limit))))
    let filter = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    let sql = """
      SELECT id, sender, sequence, conversation_kind, conversation, kind, text, sent, taken,
        recipients, coalesce((SELECT read FROM mark WHERE node = sender), 0), audio, audio_size,
        clip, edited, edited IS NOT NULL
      FROM message \(filter) ORDER BY id DESC LIMIT ?
      """
    do throws(DatabaseError) {
      var entries = try database.query(sql, values) { Self.entry($0) }.compactMap { $0 }
      for index in entries.indices {
        entries[index].reactions = try reactions(to: entries[index].message.key)
      }
      return entries.reversed()
    } catch {
      throw error.journalError
    }
  }

  private static func entry(_ line: borrowing Database.Line) -> HistoryEntry? {
    guard let sender = NodeID(octets: line.bytes(1)),
      let conversation = conversation(kind: line.number(3), line.bytes(4))
    else { return nil }
    let key = MessageKey(sender: sender, sequence: line.bits(2))
    let content: MessageContent
    switch line.number(5) {
    case 1: content = .text(line.text(6))
    case 2:
      guard let attachment = attachment(line, 11),
        let clip = VoiceClip(line.bytes(13), of: attachment)
      else { return nil }
      content = .voice(clip)
    case let kind: content = .unknown(kind: UInt8(truncatingIfNeeded: 0 &- kind))
    }
    let recipients = nodes(line.bytes(9))
    let words = line.number(5) == 2 ? line.text(6) : ""
    let message = Message(
      key: key, conversation: conversation,
      content: content,
      sentUnixMilliseconds: line.number(7), takenUnixMilliseconds: line.number(8),
      recipients: recipients)
    var entry = HistoryEntry(
      number: line.number(0), message: message,
      isRead: !recipients.isEmpty || key.sequence <= line.bits(10),
      editedUnixMilliseconds: line.number(15) == 0 ? nil : line.number(14))
    if !words.isEmpty { entry.transcript = words }
    return entry
  }

  /// Each word in quotes, so that none is taken for one of FTS5's own, and as the beginning of words.
  static func match(_ words: String) -> String {
    words.split(whereSeparator: \.isWhitespace).prefix(16).map { word in
      // By scalars: a quote with an accent is another character, and ends the text all the same.
      let inner = word.unicodeScalars.map { $0 == "\"" ? "\"\"" : $0 == "\0" ? "" : String($0) }
      return "\"" + inner.joined() + "\"*"
    }.joined(separator: " ")
  }

  /// Forgets one message; what is under way to others stays under way.
  ///
  /// Its octets are overwritten, not only let go of.
  public func remove(_ number: Int64) throws(JournalError) {
    do throws(DatabaseError) {
      try scrubbing { () throws(DatabaseError) in
        try database.execute("DELETE FROM message WHERE id = ?", [.number(number)])
      }
    } catch {
      throw error.journalError
    }
  }

  /// Forgets messages; what is under way to others stays under way.
  ///
  /// - Parameter conversation: nil: all.
  /// - Returns: how many.
  public func clear(_ conversation: Conversation?) throws(JournalError) -> Int {
    do throws(DatabaseError) {
      let filter = conversation == nil ? "" : "WHERE conversation_kind = ? AND conversation = ?"
      let count = try database.removing(
        "DELETE FROM message \(filter)", conversation.map(Self.values) ?? [])
      // What was said is not to be found in the index of words, in free pages or in the log.
      try database.run("INSERT INTO message_text (message_text) VALUES ('optimize')")
      try database.run("VACUUM")
      try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
      return count
    } catch {
      throw error.journalError
    }
  }

  /// Forgets what its retention is over of.
  ///
  /// By age what was read, and by room the oldest of the conversation that takes the most. Days that a line has of its
  /// own hold for its texts and voice messages.
  ///
  /// - Returns: how many messages went.
  public func prune(
    _ retention: HistoryRetention, unixMilliseconds now: Int64
  ) throws(JournalError) -> Int {
    do throws(DatabaseError) {
      var count = 0
      func oldest(_ days: Int) -> Int64 { now - Int64(days) * 86_400_000 }
      // A clock that was set meanwhile makes old what nobody has read yet: that stays.
      count += try database.removing(
        """
        DELETE FROM message WHERE taken < coalesce(
            (SELECT ?3 - retention.days * 86400000 FROM retention
              WHERE retention.kind = conversation_kind AND tag = conversation),
            CASE message.kind WHEN 2 THEN ?1 ELSE ?2 END)
          AND sequence <= coalesce((SELECT read FROM mark WHERE node = sender), sequence)
          AND NOT EXISTS (SELECT 1 FROM held WHERE held.sender = message.sender
            AND held.sequence = message.sequence)
        """,
        [.number(oldest(retention.voiceDays)), .number(oldest(retention.days)), .number(now)])
      while try bytes() > retention.bytes {
        let removed = try removeOldest()
        guard removed > 0 else { break }
        count += removed
      }
      return count
    } catch {
      throw error.journalError
    }
  }

  private func bytes() throws(DatabaseError) -> Int {
    try database.query("SELECT coalesce(sum(size), 0) FROM message") { Int($0.number(0)) }.first
      ?? 0
  }

  /// A tenth of the conversation that takes the most.
  private func removeOldest() throws(DatabaseError) -> Int {
    let largest = try database.query(
      """
      SELECT conversation_kind, conversation, count(*) FROM message
      GROUP BY conversation_kind, conversation ORDER BY sum(size) DESC LIMIT 1
      """
    ) { ($0.number(0), $0.bytes(1), $0.number(2)) }.first
    guard let (kind, conversation, count) = largest else { return 0 }
    return try database.removing(
      """
      DELETE FROM message WHERE id IN (SELECT id FROM message
        WHERE conversation_kind = ? AND conversation = ? ORDER BY id LIMIT ?)
      """, [.number(kind), .bytes(conversation), .number(max(1, count / 10))])
  }
}
