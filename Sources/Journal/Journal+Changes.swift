internal import Cryptography
public import Messages

/// Edits of messages, and reactions to them.
extension Journal {
  /// Where a message of the history belongs; nil: it is not there.
  public func place(of key: MessageKey) throws(JournalError) -> MessagePlace? {
    do throws(DatabaseError) {
      return try database.query(
        """
        SELECT conversation_kind, conversation, kind FROM message
        WHERE sender = ? AND sequence = ?
        """, Self.values(key)
      ) { line in
        Self.conversation(kind: line.number(0), line.bytes(1)).map {
          MessagePlace(conversation: $0, isText: line.number(2) == 1)
        }
      }.first ?? nil
    } catch {
      throw error.journalError
    }
  }

  /// Keeps what is said in a voice message, beside it; empty: nothing is, or it is not to be known.
  ///
  /// It goes with the message.
  public func keep(transcript: String, of number: Int64) throws(JournalError) {
    do throws(DatabaseError) {
      try database.execute(
        """
        UPDATE message SET text = ?1, heard = 1,
          size = size - length(CAST(coalesce(text, '') AS BLOB)) + length(CAST(?1 AS BLOB))
        WHERE id = ?2 AND kind = 2
        """, [.text(transcript), .number(number)])
    } catch {
      throw error.journalError
    }
  }

  func apply(_ edit: MessageEdit) throws(DatabaseError) {
    try database.execute(
      """
      UPDATE message SET text = ?1, edited = ?2,
        size = size - length(CAST(text AS BLOB)) + length(CAST(?1 AS BLOB))
      WHERE sender = ?3 AND sequence = ?4 AND conversation_kind = ?5 AND conversation = ?6
        AND kind = 1
      """,
      [.text(edit.text), .number(edit.sentUnixMilliseconds)] + Self.values(edit.target)
        + Self.values(edit.conversation))
  }

  func apply(_ reaction: Reaction) throws(DatabaseError) {
    let key = Self.values(reaction.target)
    let node = Database.Value.bytes(reaction.node.octets)
    try database.execute(
      "DELETE FROM reaction WHERE sender = ? AND sequence = ? AND node = ?", key + [node])
    guard let sign = reaction.sign else { return }
    let place = Self.values(reaction.conversation)
    let known = try database.query(
      """
      SELECT (conversation_kind, conversation) = (?3, ?4) FROM message
      WHERE sender = ?1 AND sequence = ?2
      """, key + place
    ) { $0.number(0) }.first
    guard known != 0 else { return }
    let count = try database.query(
      "SELECT count(*) FROM reaction WHERE sender = ? AND sequence = ?", key
    ) { $0.number(0) }.first
    guard count ?? 0 < MessageLimits.reactions else { return }
    if known == nil { try makeRoom(of: node) }
    try database.execute(
      """
      INSERT INTO reaction (sender, sequence, node, sign, conversation_kind, conversation, early)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, key + [node, .text(sign)] + place + [.number(known == nil ? 1 : 0)])
  }

  /// For one more reaction to a message that is not here: the oldest of its node goes, or of all.
  private func makeRoom(of node: Database.Value) throws(DatabaseError) {
    try database.execute(
      """
      DELETE FROM reaction WHERE id IN (SELECT id FROM reaction WHERE early = 1 AND node = ?
        ORDER BY id DESC LIMIT -1 OFFSET ?)
      """, [node, .number(Int64(MessageLimits.earlyReactionsOfNode - 1))])
    try database.execute(
      """
      DELETE FROM reaction WHERE id IN (SELECT id FROM reaction WHERE early = 1
        ORDER BY id DESC LIMIT -1 OFFSET ?)
      """, [.number(Int64(MessageLimits.earlyReactions - 1))])
  }

  /// The signs at a message, by whom.
  func reactions(to key: MessageKey) throws(DatabaseError) -> [HistoryReaction] {
    try database.query(
      """
      SELECT node, sign FROM reaction WHERE sender = ? AND sequence = ? AND early = 0 ORDER BY id
      """, Self.values(key)
    ) { line in
      NodeID(octets: line.bytes(0)).map { HistoryReaction(node: $0, sign: line.text(1)) }
    }.compactMap { $0 }
  }
}
