/// The tables of a ``SessionJournal``, and how those of each released version become today's.
enum SessionSchema {
  static let steps = [first]

  /// Version 1.
  private static let first = """
    CREATE TABLE session (
      id TEXT PRIMARY KEY, caller TEXT NOT NULL, context TEXT NOT NULL,
      started INTEGER NOT NULL, ended INTEGER, title TEXT, summary TEXT) WITHOUT ROWID;
    CREATE INDEX session_started ON session (started);
    CREATE TABLE turn (
      number INTEGER PRIMARY KEY, session TEXT NOT NULL REFERENCES session ON DELETE CASCADE,
      speaker TEXT NOT NULL, text TEXT NOT NULL, said INTEGER NOT NULL,
      interrupted INTEGER NOT NULL);
    CREATE INDEX turn_session ON turn (session);
    CREATE TABLE consent (
      caller TEXT PRIMARY KEY, destination TEXT NOT NULL, keeps INTEGER NOT NULL,
      agreed INTEGER NOT NULL) WITHOUT ROWID;
    """
}
