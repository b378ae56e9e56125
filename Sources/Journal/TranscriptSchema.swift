/// The tables of a ``TranscriptJournal``, and how those of each released version become today's.
enum TranscriptSchema {
  static let steps = [first]

  /// Version 1.
  private static let first = """
    CREATE TABLE transcript (
      id TEXT PRIMARY KEY, title TEXT NOT NULL, captioner TEXT NOT NULL,
      started INTEGER NOT NULL, ended INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX transcript_ended ON transcript (ended);
    CREATE TABLE chunk (
      number INTEGER PRIMARY KEY,
      transcript TEXT NOT NULL REFERENCES transcript ON DELETE CASCADE, place INTEGER NOT NULL,
      node TEXT NOT NULL, talker TEXT NOT NULL, role TEXT NOT NULL, colour INTEGER,
      start INTEGER NOT NULL, duration INTEGER NOT NULL, text TEXT NOT NULL,
      language TEXT NOT NULL, marker INTEGER NOT NULL,
      UNIQUE (transcript, place));
    CREATE VIRTUAL TABLE chunk_text USING fts5(
      text, content = 'chunk', content_rowid = 'number',
      tokenize = "unicode61 remove_diacritics 2");
    CREATE TRIGGER chunk_added AFTER INSERT ON chunk BEGIN
      INSERT INTO chunk_text (rowid, text) VALUES (new.number, new.text);
    END;
    CREATE TRIGGER chunk_removed AFTER DELETE ON chunk BEGIN
      INSERT INTO chunk_text (chunk_text, rowid, text) VALUES ('delete', old.number, old.text);
    END;
    CREATE TRIGGER chunk_changed AFTER UPDATE OF text ON chunk BEGIN
      INSERT INTO chunk_text (chunk_text, rowid, text) VALUES ('delete', old.number, old.text);
      INSERT INTO chunk_text (rowid, text) VALUES (new.number, new.text);
    END;
    """
}
