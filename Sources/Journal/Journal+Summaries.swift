internal import Cryptography
public import Messages

/// What there is of each conversation, counted as it comes and goes: nobody counts all messages to list them.
extension Journal {
  /// How many messages of others were not read yet.
  public func unreadCount() throws(JournalError) -> Int {
    do throws(DatabaseError) {
      return try database.query("SELECT coalesce(sum(unread), 0) FROM place") {
        Int($0.number(0))
      }.first ?? 0
    } catch {
      throw error.journalError
    }
  }

  /// Of each conversation that has messages: the number of the last, and how many were not read yet.
  public func summaries() throws(JournalError) -> [Conversation: (last: Int64, unread: Int)] {
    do throws(DatabaseError) {
      let rows = try database.query("SELECT kind, tag, last, unread FROM place") {
        (Self.conversation(kind: $0.number(0), $0.bytes(1)), $0.number(2), Int($0.number(3)))
      }
      var all: [Conversation: (last: Int64, unread: Int)] = [:]
      for case (let conversation?, let last, let unread) in rows {
        all[conversation] = (last, unread)
      }
      return all
    } catch {
      throw error.journalError
    }
  }

  /// Counts what becomes read, or unread, as another sequence is the last that was read of a sender.
  func countRead(_ node: NodeID, upTo read: UInt64) throws(DatabaseError) {
    let sender = Database.Value.bytes(node.octets)
    // Of whom nothing was marked, nothing counts as unread.
    let before =
      try database.query("SELECT read FROM mark WHERE node = ?", [sender]) { $0.bits(0) }.first
      ?? MessageLimits.sequences.upperBound
    guard read != before else { return }
    let counts = try database.query(
      """
      SELECT conversation_kind, conversation, count(*) FROM message
      WHERE sender = ? AND sequence > ? AND sequence <= ?
      GROUP BY conversation_kind, conversation
      """, [sender, .bits(min(read, before)), .bits(max(read, before))]
    ) { ($0.number(0), $0.bytes(1), $0.number(2)) }
    for (kind, tag, count) in counts {
      try database.execute(
        "UPDATE place SET unread = unread + ? WHERE kind = ? AND tag = ?",
        [.number(read > before ? -count : count), .number(kind), .bytes(tag)])
    }
  }
}
