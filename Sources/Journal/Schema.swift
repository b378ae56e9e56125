/// The tables of a journal, and how those of each released version become today's.
enum Schema {
  /// One step a version: the first makes the tables of version 1 of nothing.
  static let steps = [first, second, third, fourth, fifth, sixth, seventh]

  static var version: Int64 { Int64(steps.count) }

  /// Version 1.
  ///
  /// Numbers are signed in SQLite; sequences are below 2⁶². Nodes, keys and tags are blobs of 32 and 16 octets, lists
  /// of them stand one after the other.
  private static let first = """
    CREATE TABLE message (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      sender BLOB NOT NULL, sequence INTEGER NOT NULL,
      conversation_kind INTEGER NOT NULL, conversation BLOB NOT NULL,
      kind INTEGER NOT NULL, text TEXT,
      sent INTEGER NOT NULL, taken INTEGER NOT NULL,
      recipients BLOB NOT NULL, size INTEGER NOT NULL,
      UNIQUE (sender, sequence));
    CREATE INDEX message_conversation ON message (conversation_kind, conversation, size);
    CREATE INDEX message_taken ON message (taken);
    CREATE VIRTUAL TABLE message_text USING fts5(
      text, content = 'message', content_rowid = 'id',
      tokenize = "unicode61 remove_diacritics 2");
    CREATE TRIGGER message_added AFTER INSERT ON message BEGIN
      INSERT INTO message_text (rowid, text) VALUES (new.id, new.text);
    END;
    CREATE TRIGGER message_removed AFTER DELETE ON message BEGIN
      INSERT INTO message_text (message_text, rowid, text) VALUES ('delete', old.id, old.text);
    END;
    CREATE TABLE held (
      sender BLOB NOT NULL, sequence INTEGER NOT NULL,
      octets BLOB NOT NULL, remaining BLOB NOT NULL, until INTEGER NOT NULL,
      UNIQUE (sender, sequence));
    CREATE TABLE contact (
      node BLOB PRIMARY KEY, key BLOB NOT NULL, groups BLOB NOT NULL) WITHOUT ROWID;
    CREATE TABLE mark (
      node BLOB PRIMARY KEY, delivered INTEGER NOT NULL, read INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE receipt (
      node BLOB PRIMARY KEY, delivered INTEGER NOT NULL, read INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE fact (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    """

  /// Version 2: voice messages.
  ///
  /// Of a message its audio's name, length and clip; of an envelope that is held, name and length. Pieces of audio stay
  /// while a message or an envelope has them.
  private static let second = """
    ALTER TABLE message ADD COLUMN audio BLOB;
    ALTER TABLE message ADD COLUMN audio_size INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE message ADD COLUMN clip BLOB;
    ALTER TABLE held ADD COLUMN audio BLOB;
    ALTER TABLE held ADD COLUMN audio_size INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX message_audio ON message (audio) WHERE audio IS NOT NULL;
    CREATE INDEX held_audio ON held (audio) WHERE audio IS NOT NULL;
    CREATE TABLE piece (
      audio BLOB NOT NULL, number INTEGER NOT NULL, octets BLOB NOT NULL,
      UNIQUE (audio, number));
    CREATE TRIGGER message_audio_removed AFTER DELETE ON message WHEN old.audio IS NOT NULL BEGIN
      DELETE FROM piece WHERE audio = old.audio
        AND NOT EXISTS (SELECT 1 FROM message WHERE audio = old.audio)
        AND NOT EXISTS (SELECT 1 FROM held WHERE audio = old.audio);
    END;
    CREATE TRIGGER held_audio_removed AFTER DELETE ON held WHEN old.audio IS NOT NULL BEGIN
      DELETE FROM piece WHERE audio = old.audio
        AND NOT EXISTS (SELECT 1 FROM message WHERE audio = old.audio)
        AND NOT EXISTS (SELECT 1 FROM held WHERE audio = old.audio);
    END;
    """

  /// Version 3: lines.
  ///
  /// Conversations of kind 3 are lines by their names, those of kind 4 private lines by their IDs. Of each line that
  /// the node is on: who else is (32 octets each, and 8 of when it went, 0: not yet).
  private static let third = """
    ALTER TABLE held ADD COLUMN readers BLOB NOT NULL DEFAULT x'';
    CREATE TABLE line (
      kind INTEGER NOT NULL, tag BLOB NOT NULL, name TEXT NOT NULL, people BLOB NOT NULL,
      PRIMARY KEY (kind, tag)) WITHOUT ROWID;
    """

  /// Version 4: how many days messages of a line are kept; 0: until they are read and delivered.
  private static let fourth = """
    CREATE TABLE retention (
      kind INTEGER NOT NULL, tag BLOB NOT NULL, days INTEGER NOT NULL,
      PRIMARY KEY (kind, tag)) WITHOUT ROWID;
    """

  /// Version 5: edits and reactions.
  ///
  /// A reaction may come before its message; it is early then, and stays only if it is of the message's conversation.
  private static let fifth = """
    ALTER TABLE message ADD COLUMN edited INTEGER;
    CREATE TRIGGER message_edited AFTER UPDATE OF text ON message BEGIN
      INSERT INTO message_text (message_text, rowid, text) VALUES ('delete', old.id, old.text);
      INSERT INTO message_text (rowid, text) VALUES (new.id, new.text);
    END;
    CREATE TABLE reaction (
      id INTEGER PRIMARY KEY,
      sender BLOB NOT NULL, sequence INTEGER NOT NULL, node BLOB NOT NULL, sign TEXT NOT NULL,
      conversation_kind INTEGER NOT NULL, conversation BLOB NOT NULL, early INTEGER NOT NULL,
      UNIQUE (sender, sequence, node));
    CREATE INDEX reaction_early ON reaction (node) WHERE early = 1;
    CREATE TRIGGER message_reactions_added AFTER INSERT ON message BEGIN
      DELETE FROM reaction WHERE sender = new.sender AND sequence = new.sequence
        AND (conversation_kind, conversation) <> (new.conversation_kind, new.conversation);
      UPDATE reaction SET early = 0 WHERE sender = new.sender AND sequence = new.sequence;
    END;
    CREATE TRIGGER message_reactions_removed AFTER DELETE ON message BEGIN
      DELETE FROM reaction WHERE sender = old.sender AND sequence = old.sequence;
    END;
    """

  /// Version 6: of each conversation that has messages the last one, and how many were not read yet.
  ///
  /// Who reads or removes many messages counts them down here; who lists conversations reads a row each.
  private static let sixth = """
    DROP INDEX message_conversation;
    CREATE INDEX message_conversation ON message (conversation_kind, conversation, id, size);
    CREATE TABLE place (
      kind INTEGER NOT NULL, tag BLOB NOT NULL, last INTEGER NOT NULL, unread INTEGER NOT NULL,
      PRIMARY KEY (kind, tag)) WITHOUT ROWID;
    INSERT INTO place SELECT conversation_kind, conversation, max(id),
        sum(sequence > coalesce((SELECT read FROM mark WHERE node = sender), sequence))
      FROM message GROUP BY conversation_kind, conversation;
    CREATE TRIGGER message_place_added AFTER INSERT ON message BEGIN
      INSERT INTO place VALUES (new.conversation_kind, new.conversation, new.id,
          new.sequence > coalesce((SELECT read FROM mark WHERE node = new.sender), new.sequence))
        ON CONFLICT DO UPDATE SET last = excluded.last, unread = unread + excluded.unread;
    END;
    CREATE TRIGGER message_place_removed AFTER DELETE ON message BEGIN
      UPDATE place SET
          unread = unread
            - (old.sequence > coalesce((SELECT read FROM mark WHERE node = old.sender), old.sequence)),
          last = CASE last WHEN old.id THEN coalesce((SELECT id FROM message
              WHERE conversation_kind = old.conversation_kind AND conversation = old.conversation
              ORDER BY id DESC LIMIT 1), 0) ELSE last END
        WHERE kind = old.conversation_kind AND tag = old.conversation;
      DELETE FROM place
        WHERE kind = old.conversation_kind AND tag = old.conversation AND last = 0;
    END;
    """

  /// Version 7: whether it was listened to what is said in a voice message, whose transcript is its text then.
  private static let seventh = """
    ALTER TABLE message ADD COLUMN heard INTEGER NOT NULL DEFAULT 0;
    CREATE INDEX message_unheard ON message (id) WHERE kind = 2 AND heard = 0;
    """

  /// Brings a database to this version, each step whole or not at all.
  ///
  /// - Returns: false where a later version wrote it.
  static func bring(
    _ database: Database, by steps: [String] = steps
  ) throws(DatabaseError) -> Bool {
    let found = try database.query("PRAGMA user_version") { $0.number(0) }.first ?? 0
    guard found <= steps.count else { return false }
    for step in Int(found)..<steps.count {
      try database.transaction { () throws(DatabaseError) in
        try database.run(steps[step])
        try database.run("PRAGMA user_version = \(step + 1)")
      }
    }
    return true
  }
}
