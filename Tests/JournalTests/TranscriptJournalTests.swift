import Foundation
import Messages
import Testing

@testable import Journal

/// Transcripts of captions on the disk, where the user wants them.
@Suite struct TranscriptJournalTests {
  private static let day: Int64 = 86_400_000
  private let folder: JournalFolder

  init() throws { folder = try JournalFolder() }

  private static func transcript(_ id: String, at started: Int64 = 1000) -> KeptTranscript {
    KeptTranscript(
      id: id, title: "Show of \(id)", captioner: "desk", startedUnixMilliseconds: started)
  }

  private static func speech(_ place: Int64, _ text: String, at start: Int64? = nil) -> KeptSpeech {
    var speech = KeptSpeech(place: place, node: "n\(place % 3)", talker: "anna", text: text)
    (speech.startMilliseconds, speech.durationMilliseconds) = (start ?? place * 1000, 900)
    return speech
  }

  @Test func `what was said comes back as it was kept`() throws {
    var one = Self.speech(0, "Grüße — שלום")
    (one.role, one.colourRGB, one.language) = ("stage", 0xFF8000, "de")
    var marker = Self.speech(1, "the host is back")
    marker.isMarker = true
    do {
      let journal = try TranscriptJournal(path: folder.path)
      try journal.keep([one, marker], of: Self.transcript("a"), isWhole: true)
    }
    let journal = try TranscriptJournal(path: folder.path)
    let found = try journal.speech(words: nil, of: nil, limit: 10)
    #expect(found.map(\.speech) == [one, marker])
    #expect(found.map(\.transcript) == [Self.transcript("a"), Self.transcript("a")])
    #expect(try folder.mode("") == 0o600)
  }

  @Test func `words are found by their beginnings, in one session or all, the last ones`() throws {
    let journal = try TranscriptJournal(path: nil)
    try journal.keep(
      (0..<20).map { Self.speech($0, $0 == 7 ? "the fog machine" : "light cue \($0)") },
      of: Self.transcript("a"), isWhole: true)
    try journal.keep(
      [Self.speech(0, "Fög again")], of: Self.transcript("b", at: 90_000), isWhole: false)
    func found(_ words: String, of id: String? = nil, limit: Int = 50) throws -> [String] {
      try journal.speech(words: words, of: id, limit: limit).map(\.speech.text)
    }
    #expect(try found("fog") == ["the fog machine", "Fög again"])
    #expect(try found("mach fo") == ["the fog machine"])
    #expect(try found("fog", of: "b") == ["Fög again"])
    #expect(try found("cue", limit: 2) == ["light cue 18", "light cue 19"])
    for words in ["\"", "NEAR(", "*", " ", "a OR b", "\u{0}", "fog\"; DROP TABLE chunk"] {
      #expect(try found(words).isEmpty, "\(words)")
    }
  }

  @Test func `what changed takes the former's place, and less than was kept takes nothing's`()
    throws
  {
    let journal = try TranscriptJournal(path: nil)
    let transcript = Self.transcript("a")
    try journal.keep([Self.speech(0, "one"), Self.speech(1, "two")], of: transcript, isWhole: true)
    try journal.keep([Self.speech(1, "too")], of: transcript, isWhole: false)
    func texts(_ words: String? = nil) throws -> [String] {
      try journal.speech(words: words, of: "a", limit: 9).map(\.speech.text)
    }
    #expect(try texts() == ["one", "too"])
    #expect(try texts("two").isEmpty)
    // After a restart somebody who left the line meanwhile gets less of it.
    try journal.keep([Self.speech(1, "too late")], of: transcript, isWhole: true)
    #expect(try texts() == ["one", "too late"])
    try journal.keep(
      [Self.speech(5, "first", at: 0), Self.speech(6, "last")], of: transcript, isWhole: true)
    #expect(try texts() == ["first", "last"])
    #expect(try texts("one").isEmpty)
  }

  @Test func `what is too old goes, by the end of its session`() throws {
    let journal = try TranscriptJournal(path: nil)
    try journal.keep([Self.speech(0, "old")], of: Self.transcript("old", at: 0), isWhole: true)
    try journal.keep(
      [Self.speech(0, "long", at: 9 * Self.day)], of: Self.transcript("long", at: 0), isWhole: true)
    #expect(try journal.prune(days: 10, unixMilliseconds: 10 * Self.day) == 0)
    #expect(try journal.prune(days: 3, unixMilliseconds: 10 * Self.day) == 1)
    #expect(try journal.speech(words: nil, of: nil, limit: 9).map(\.speech.text) == ["long"])
    #expect(try journal.speech(words: "old", of: nil, limit: 9).isEmpty)
  }

  @Test(arguments: [true, false])
  func `what is deleted is in no file any more`(isAll: Bool) throws {
    let journal = try TranscriptJournal(path: folder.path)
    let secret = "Mellonpassword"
    try journal.keep(
      (0..<50).map { Self.speech($0, "\(secret) \($0)") }, of: Self.transcript("a", at: 0),
      isWhole: true)
    func isThere() -> Bool {
      ["", "-wal"].contains { end in
        let octets = (try? folder.octets(end)) ?? []
        return Data(octets).range(of: Data(secret.utf8)) != nil
          || Data(octets).range(of: Data(secret.lowercased().utf8)) != nil
      }
    }
    #expect(isThere())
    let count =
      isAll ? try journal.removeAll() : try journal.prune(days: 1, unixMilliseconds: 9 * Self.day)
    #expect(count == 1 && !isThere())
  }

  /// The tables as each version made them: a later version must still open these.
  private static let tables = [
    [
      "chunk: number INTEGER, transcript TEXT, place INTEGER, node TEXT, talker TEXT, role TEXT, "
        + "colour INTEGER, start INTEGER, duration INTEGER, text TEXT, language TEXT, "
        + "marker INTEGER",
      "chunk_text: text ",
      "transcript: id TEXT, title TEXT, captioner TEXT, started INTEGER, ended INTEGER",
    ]
  ]

  @Test
  func `the tables are those of their version, and what each version kept is found by today's`()
    throws
  {
    #expect(TranscriptSchema.steps.count == Self.tables.count)
    for version in Self.tables.indices {
      try folder.remove()
      do {
        let database = try Database(path: folder.path)
        for step in 0...version {
          try database.run(TranscriptSchema.steps[step])
          try database.run("PRAGMA user_version = \(step + 1)")
        }
        let names = try database.query(
          """
          SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'chunk_text_%'
          ORDER BY name
          """
        ) { $0.text(0) }
        let tables = try names.map { name in
          let columns = try database.query("PRAGMA table_info(\(name))") {
            "\($0.text(1)) \($0.text(2))"
          }
          return "\(name): \(columns.joined(separator: ", "))"
        }
        #expect(tables == Self.tables[version])
        try database.run(
          """
          INSERT INTO transcript (id, title, captioner, started, ended)
            VALUES ('a', 'Show of a', 'desk', 1000, 2000);
          INSERT INTO chunk (transcript, place, node, talker, role, start, duration, text,
            language, marker) VALUES ('a', 0, 'n0', 'anna', '', 0, 900, 'before', '', 0)
          """)
      }
      let journal = try TranscriptJournal(path: folder.path)
      let found = try journal.speech(words: "bef", of: "a", limit: 9)
      #expect(found.map(\.speech) == [Self.speech(0, "before")])
      #expect(found.map(\.transcript) == [Self.transcript("a")])
    }
    // A step of a later version comes on top, whole or not at all.
    do {
      let database = try Database(path: folder.path)
      let broken = "ALTER TABLE chunk ADD COLUMN one TEXT; ALTER TABLE nothing ADD COLUMN two TEXT"
      #expect(throws: DatabaseError.self) {
        try TranscriptJournal(database: database, steps: TranscriptSchema.steps + [broken])
      }
      #expect(try database.query("PRAGMA user_version") { $0.number(0) } == [1])
      _ = try TranscriptJournal(
        database: database,
        steps: TranscriptSchema.steps + ["ALTER TABLE chunk ADD COLUMN one TEXT"])
      #expect(try database.query("SELECT text FROM chunk") { $0.text(0) } == ["before"])
    }
    let later = #expect(throws: JournalError.self) { try TranscriptJournal(path: folder.path) }
    #expect(later?.description.contains("later version of comlinkd; update this one") == true)
    #expect(later?.isDamage == false)
  }
}
