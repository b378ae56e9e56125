import Cryptography
import Glibc
import TestKit
import Testing

@testable import Journal
@testable import Messages

/// The journal in files of its own.
@Suite(.timeLimit(.minutes(5))) struct JournalTests {
  private let folder: JournalFolder

  init() throws { folder = try JournalFolder() }

  @Test func `what is kept is there after another opening, and only its owner may read it`() throws
  {
    let maker = try ChangeMaker(seed: 1)
    var expected = JournalState()
    do {
      let journal = try Journal(path: folder.path)
      for turn in 0..<40 {
        let changes = maker.changes(turn)
        try journal.write(changes)
        maker.apply(changes, to: &expected)
      }
      #expect(try journal.load() == expected.sorted)
    }
    let journal = try Journal(path: folder.path)
    #expect(try journal.load() == expected.sorted)
    #expect(try folder.mode("") == 0o600 && folder.mode("-wal") == 0o600)
    let held = try #require(expected.held.first)
    #expect(try journal.envelope(held.key)?.count == held.byteCount)
    #expect(try journal.envelope(MessageKey(sender: maker.nodes[0], sequence: 999)) == nil)
  }

  @Test func `messages are found by conversation, number and words`() throws {
    let journal = try Journal(path: nil)
    let nodes = try (0..<3).map { _ in try NodeKey().id }
    let texts = ["Lights on in five", "Straße \"A\" ist frei", "lightning strikes", "okay"]
    for (index, text) in texts.enumerated() {
      let key = MessageKey(sender: nodes[0], sequence: UInt64(index + 1))
      try journal.write([
        .message(
          Message(
            key: key, conversation: .member(nodes[1 + index % 2]), content: .text(text),
            sentUnixMilliseconds: Int64(index), takenUnixMilliseconds: Int64(index) + 5))
      ])
    }
    func found(_ words: String) throws -> [Int64] {
      var query = HistoryQuery()
      query.words = words
      return try journal.messages(query).map(\.number)
    }
    #expect(try found("light") == [1, 3])
    #expect(try found("LIGHTS five") == [1])
    #expect(try found("strasse") == [] && found("straße") == [2])
    for odd in ["\"A\"", "NOT", "a AND (", "*", "", "\0", "text:x", "a\"\u{301}", "\"\u{301}OR"] {
      _ = try found(odd)
    }
    #expect(try found("\"a\"") == [2])
    var query = HistoryQuery()
    query.conversation = .member(nodes[2])
    #expect(try journal.messages(query).map(\.number) == [2, 4])
    query.after = 2
    #expect(try journal.messages(query).map(\.number) == [4])
    query = HistoryQuery()
    query.limit = 2
    #expect(try journal.messages(query).map(\.number) == [3, 4])
    query.before = 3
    #expect(try journal.messages(query).map(\.number) == [1, 2])
    #expect(try journal.clear(.member(nodes[1])) == 2)
    #expect(try found("light") == [])
    #expect(try journal.clear(nil) == 2)
  }

  @Test func `unread messages are counted, and age takes only what was read`() throws {
    let journal = try Journal(path: nil)
    let sender = try NodeKey().id
    for sequence in UInt64(1)...10 {
      try journal.write([
        .message(
          Message(
            key: MessageKey(sender: sender, sequence: sequence), conversation: .member(sender),
            content: .text("x"), sentUnixMilliseconds: 0, takenUnixMilliseconds: 1000)),
        .mark(sender, MessageMark(delivered: sequence, read: min(sequence, 6))),
      ])
    }
    #expect(try journal.unreadCount() == 4)
    let day: Int64 = 86_400_000
    #expect(try journal.prune(HistoryRetention(days: 30), unixMilliseconds: 30 * day) == 0)
    #expect(try journal.prune(HistoryRetention(days: 30), unixMilliseconds: 31 * day) == 6)
    #expect(try journal.unreadCount() == 4)
  }

  @Test func `room is made in the conversation that takes the most`() throws {
    let journal = try Journal(path: nil)
    let (loud, quiet) = (try NodeKey().id, try NodeKey().id)
    for index in 0..<220 {
      let sender = index % 11 == 0 ? quiet : loud
      try journal.write([
        .message(
          Message(
            key: MessageKey(sender: sender, sequence: UInt64(index + 1)),
            conversation: .member(sender), content: .text(String(repeating: "x", count: 750)),
            sentUnixMilliseconds: 0, takenUnixMilliseconds: 1000))
      ])
    }
    let removed = try journal.prune(
      HistoryRetention(days: 30, bytes: 100_000), unixMilliseconds: 2000)
    #expect(removed >= 120 && removed < 150)
    var query = HistoryQuery()
    query.conversation = .member(quiet)
    #expect(try journal.messages(query).count == 20)
  }

  @Test func `a file that is no database, or damaged, or of a later version, is told in words`()
    throws
  {
    try folder.write([UInt8](repeating: 0x41, count: 8192))
    let error = #expect(throws: JournalError.self) { try Journal(path: folder.path) }
    #expect(error?.isDamage == true)
    #expect(error?.description == "\(folder.path) is damaged")
    try folder.remove()
    do {
      let journal = try Journal(path: folder.path)
      try journal.database.run("PRAGMA user_version = 99")
    }
    let later = #expect(throws: JournalError.self) { try Journal(path: folder.path) }
    #expect(later?.isDamage == false)
    #expect(later?.description.contains("later version of comlinkd; update this one") == true)
    let nowhere = #expect(throws: JournalError.self) { try Journal(path: "/nowhere/at/all.db") }
    #expect(nowhere?.description.hasPrefix("cannot keep anything in /nowhere/at/all.db") == true)
  }

  @Test func `a number that no message can have is damage`() throws {
    let journal = try Journal(path: folder.path)
    try journal.write([.sequence(.max >> 1)])
    let error = #expect(throws: JournalError.self) { try journal.load() }
    #expect(error?.isDamage == true)
  }

  @Test func `a link in the place of the file is not followed`() throws {
    #expect(unsafe symlink("\(folder.path)-wal", folder.path) == 0)
    let error = #expect(throws: JournalError.self) { try Journal(path: folder.path) }
    #expect(error?.description == "\(folder.path) is a symbolic link; remove it")
  }

  @Test func `what was cleared is in no octet of the file`() throws {
    let sender = try NodeKey().id
    let journal = try Journal(path: folder.path)
    for sequence in 1...20 {
      try journal.write([
        .message(
          Message(
            key: MessageKey(sender: sender, sequence: UInt64(sequence)),
            conversation: .member(sender), content: .text("cloakroom"), sentUnixMilliseconds: 1,
            takenUnixMilliseconds: 1))
      ])
    }
    #expect(try journal.clear(nil) == 20)
    #expect(try !folder.octets("").contains(Array("cloakroom".utf8)))
    #expect(try !folder.octets("-wal").contains(Array("cloakroom".utf8)))
  }

  @Test func `a deleted message is in no octet of the file, and the others are found`()
    throws
  {
    let sender = try NodeKey().id
    let journal = try Journal(path: folder.path)
    for sequence in 1...20 {
      let text = sequence == 7 ? "cloakroom" : "hallway \(sequence)"
      try journal.write([
        .message(
          Message(
            key: MessageKey(sender: sender, sequence: UInt64(sequence)),
            conversation: .member(sender), content: .text(text), sentUnixMilliseconds: 1,
            takenUnixMilliseconds: 1))
      ])
    }
    try journal.remove(7)
    try journal.remove(7)
    #expect(try !folder.octets("").contains(Array("cloakroom".utf8)))
    #expect(try !folder.octets("-wal").contains(Array("cloakroom".utf8)))
    var query = HistoryQuery()
    query.words = "hallway"
    #expect(try journal.messages(query).map(\.number) == Array(1...6) + Array(8...20))
  }

  /// The tables as each version made them: a later version must still open these.
  private static let tables = [
    [
      "contact: node BLOB, key BLOB, groups BLOB",
      "fact: name TEXT, value INTEGER",
      "held: sender BLOB, sequence INTEGER, octets BLOB, remaining BLOB, until INTEGER",
      "mark: node BLOB, delivered INTEGER, read INTEGER",
      "message: id INTEGER, sender BLOB, sequence INTEGER, conversation_kind INTEGER, "
        + "conversation BLOB, kind INTEGER, text TEXT, sent INTEGER, taken INTEGER, "
        + "recipients BLOB, size INTEGER",
      "message_text: text ",
      "receipt: node BLOB, delivered INTEGER, read INTEGER",
    ],
    [
      "contact: node BLOB, key BLOB, groups BLOB",
      "fact: name TEXT, value INTEGER",
      "held: sender BLOB, sequence INTEGER, octets BLOB, remaining BLOB, until INTEGER, "
        + "audio BLOB, audio_size INTEGER",
      "mark: node BLOB, delivered INTEGER, read INTEGER",
      "message: id INTEGER, sender BLOB, sequence INTEGER, conversation_kind INTEGER, "
        + "conversation BLOB, kind INTEGER, text TEXT, sent INTEGER, taken INTEGER, "
        + "recipients BLOB, size INTEGER, audio BLOB, audio_size INTEGER, clip BLOB",
      "message_text: text ",
      "piece: audio BLOB, number INTEGER, octets BLOB",
      "receipt: node BLOB, delivered INTEGER, read INTEGER",
    ],
    [
      "contact: node BLOB, key BLOB, groups BLOB",
      "fact: name TEXT, value INTEGER",
      "held: sender BLOB, sequence INTEGER, octets BLOB, remaining BLOB, until INTEGER, "
        + "audio BLOB, audio_size INTEGER, readers BLOB",
      "line: kind INTEGER, tag BLOB, name TEXT, people BLOB",
      "mark: node BLOB, delivered INTEGER, read INTEGER",
      "message: id INTEGER, sender BLOB, sequence INTEGER, conversation_kind INTEGER, "
        + "conversation BLOB, kind INTEGER, text TEXT, sent INTEGER, taken INTEGER, "
        + "recipients BLOB, size INTEGER, audio BLOB, audio_size INTEGER, clip BLOB",
      "message_text: text ",
      "piece: audio BLOB, number INTEGER, octets BLOB",
      "receipt: node BLOB, delivered INTEGER, read INTEGER",
    ],
    [
      "contact: node BLOB, key BLOB, groups BLOB",
      "fact: name TEXT, value INTEGER",
      "held: sender BLOB, sequence INTEGER, octets BLOB, remaining BLOB, until INTEGER, "
        + "audio BLOB, audio_size INTEGER, readers BLOB",
      "line: kind INTEGER, tag BLOB, name TEXT, people BLOB",
      "mark: node BLOB, delivered INTEGER, read INTEGER",
      "message: id INTEGER, sender BLOB, sequence INTEGER, conversation_kind INTEGER, "
        + "conversation BLOB, kind INTEGER, text TEXT, sent INTEGER, taken INTEGER, "
        + "recipients BLOB, size INTEGER, audio BLOB, audio_size INTEGER, clip BLOB",
      "message_text: text ",
      "piece: audio BLOB, number INTEGER, octets BLOB",
      "receipt: node BLOB, delivered INTEGER, read INTEGER",
      "retention: kind INTEGER, tag BLOB, days INTEGER",
    ],
    [
      "contact: node BLOB, key BLOB, groups BLOB",
      "fact: name TEXT, value INTEGER",
      "held: sender BLOB, sequence INTEGER, octets BLOB, remaining BLOB, until INTEGER, "
        + "audio BLOB, audio_size INTEGER, readers BLOB",
      "line: kind INTEGER, tag BLOB, name TEXT, people BLOB",
      "mark: node BLOB, delivered INTEGER, read INTEGER",
      "message: id INTEGER, sender BLOB, sequence INTEGER, conversation_kind INTEGER, "
        + "conversation BLOB, kind INTEGER, text TEXT, sent INTEGER, taken INTEGER, "
        + "recipients BLOB, size INTEGER, audio BLOB, audio_size INTEGER, clip BLOB, edited INTEGER",
      "message_text: text ",
      "piece: audio BLOB, number INTEGER, octets BLOB",
      "reaction: id INTEGER, sender BLOB, sequence INTEGER, node BLOB, sign TEXT, "
        + "conversation_kind INTEGER, conversation BLOB, early INTEGER",
      "receipt: node BLOB, delivered INTEGER, read INTEGER",
      "retention: kind INTEGER, tag BLOB, days INTEGER",
    ],
    [
      "contact: node BLOB, key BLOB, groups BLOB",
      "fact: name TEXT, value INTEGER",
      "held: sender BLOB, sequence INTEGER, octets BLOB, remaining BLOB, until INTEGER, "
        + "audio BLOB, audio_size INTEGER, readers BLOB",
      "line: kind INTEGER, tag BLOB, name TEXT, people BLOB",
      "mark: node BLOB, delivered INTEGER, read INTEGER",
      "message: id INTEGER, sender BLOB, sequence INTEGER, conversation_kind INTEGER, "
        + "conversation BLOB, kind INTEGER, text TEXT, sent INTEGER, taken INTEGER, "
        + "recipients BLOB, size INTEGER, audio BLOB, audio_size INTEGER, clip BLOB, edited INTEGER",
      "message_text: text ",
      "piece: audio BLOB, number INTEGER, octets BLOB",
      "place: kind INTEGER, tag BLOB, last INTEGER, unread INTEGER",
      "reaction: id INTEGER, sender BLOB, sequence INTEGER, node BLOB, sign TEXT, "
        + "conversation_kind INTEGER, conversation BLOB, early INTEGER",
      "receipt: node BLOB, delivered INTEGER, read INTEGER",
      "retention: kind INTEGER, tag BLOB, days INTEGER",
    ],
    [
      "contact: node BLOB, key BLOB, groups BLOB",
      "fact: name TEXT, value INTEGER",
      "held: sender BLOB, sequence INTEGER, octets BLOB, remaining BLOB, until INTEGER, "
        + "audio BLOB, audio_size INTEGER, readers BLOB",
      "line: kind INTEGER, tag BLOB, name TEXT, people BLOB",
      "mark: node BLOB, delivered INTEGER, read INTEGER",
      "message: id INTEGER, sender BLOB, sequence INTEGER, conversation_kind INTEGER, "
        + "conversation BLOB, kind INTEGER, text TEXT, sent INTEGER, taken INTEGER, "
        + "recipients BLOB, size INTEGER, audio BLOB, audio_size INTEGER, clip BLOB, edited INTEGER, "
        + "heard INTEGER",
      "message_text: text ",
      "piece: audio BLOB, number INTEGER, octets BLOB",
      "place: kind INTEGER, tag BLOB, last INTEGER, unread INTEGER",
      "reaction: id INTEGER, sender BLOB, sequence INTEGER, node BLOB, sign TEXT, "
        + "conversation_kind INTEGER, conversation BLOB, early INTEGER",
      "receipt: node BLOB, delivered INTEGER, read INTEGER",
      "retention: kind INTEGER, tag BLOB, days INTEGER",
    ],
  ]

  private func tables(of database: Database) throws -> [String] {
    let names = try database.query(
      """
      SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
        AND name NOT LIKE 'message_text_%' ORDER BY name
      """
    ) { $0.text(0) }
    return try names.map { name in
      let columns = try database.query("PRAGMA table_info(\(name))") {
        "\($0.text(1)) \($0.text(2))"
      }
      return "\(name): \(columns.joined(separator: ", "))"
    }
  }

  @Test func `the tables are those of their version, whichever it began with`() throws {
    #expect(Schema.version == Int64(Self.tables.count))
    for version in Self.tables.indices {
      try folder.remove()
      do {
        let database = try Database(path: folder.path)
        for step in 0...version {
          try database.run(Schema.steps[step])
          try database.run("PRAGMA user_version = \(step + 1)")
        }
        #expect(try tables(of: database) == Self.tables[version])
        let sender = try NodeKey().id
        try database.execute(
          "INSERT INTO mark (node, delivered, read) VALUES (?, 7, 3)", [.bytes(sender.octets)])
        try database.execute(
          """
          INSERT INTO message (sender, sequence, conversation_kind, conversation, kind, text, sent,
            taken, recipients, size) VALUES (?, 7, 1, ?, 1, 'before', 1, 2, ?, 300)
          """, [.bytes(sender.octets), .bytes(sender.octets), .bytes([])])
        try database.execute(
          """
          INSERT INTO held (sender, sequence, octets, remaining, until) VALUES (?, 7, ?, ?, 99)
          """, [.bytes(sender.octets), .bytes([1, 2]), .bytes(sender.octets)])
      }
      let journal = try Journal(path: folder.path)
      #expect(try tables(of: journal.database) == Self.tables.last)
      let held = try #require(try journal.load().held.first)
      #expect(held.remaining == [held.key.sender] && held.untilRunSeconds == 99)
      #expect(held.readers.isEmpty, "whoever can keeps it, as before")
      #expect(
        try journal.messages(HistoryQuery()).map(\.message.content) == [.text("before")])
      try expectOldMessage(of: held.key.sender, toBeAsANewOne: journal)
    }
  }

  /// What an earlier version kept is counted, edited and found as if it came today.
  private func expectOldMessage(of sender: NodeID, toBeAsANewOne journal: Journal) throws {
    let (key, place) = (MessageKey(sender: sender, sequence: 7), Conversation.member(sender))
    let summary = try journal.summaries()[place]
    #expect(summary?.last == 1 && summary?.unread == 1)
    try journal.write([
      .edit(
        MessageEdit(target: key, conversation: place, text: "after", sentUnixMilliseconds: 3)),
      .reaction(Reaction(target: key, conversation: place, node: sender, sign: "ok")),
      .mark(sender, MessageMark(delivered: 7, read: 7)),
    ])
    for (words, count) in [("before", 0), ("after", 1)] {
      var query = HistoryQuery()
      query.words = words
      let found = try journal.messages(query)
      #expect(found.count == count, "\(words)")
      if let one = found.first { #expect(one.isRead && one.reactions.map(\.sign) == ["ok"]) }
    }
    #expect(try journal.unreadCount() == 0)
  }

  @Test func `lines are conversations of their own, after another opening too`() throws {
    let nodes = try (0..<3).map { _ in try NodeKey().id }
    let id = [UInt8](repeating: 7, count: LineTag.idByteCount)
    let lines = [LineTag.named("stage"), .named("stra\u{DF}e"), .hidden(id)]
    let people = [nodes[0]: UInt64(0), nodes[1]: UInt64(1) << 40]
    let held = HeldEnvelope(
      key: MessageKey(sender: nodes[0], sequence: 9), byteCount: 2, remaining: [nodes[1]],
      untilRunSeconds: 5, readers: [nodes[1], nodes[2]])
    do {
      let journal = try Journal(path: folder.path)
      try journal.write([.hold(held, octets: [1, 2])])
      for (index, line) in lines.enumerated() {
        try journal.write([
          .line(line, KeptLine(name: "Line \(index)", people: people)),
          .message(
            Message(
              key: MessageKey(sender: nodes[0], sequence: UInt64(index + 1)),
              conversation: .line(line), content: .text("call \(index)"),
              sentUnixMilliseconds: 0, takenUnixMilliseconds: 0)),
        ])
      }
      try journal.write([.line(lines[1], nil)])
    }
    let journal = try Journal(path: folder.path)
    let state = try journal.load()
    #expect(state.held == [held])
    #expect(
      state.lines == [
        lines[0]: KeptLine(name: "Line 0", people: people),
        lines[2]: KeptLine(name: "Line 2", people: people),
      ])
    for (index, line) in lines.enumerated() {
      var query = HistoryQuery()
      query.conversation = .line(line)
      #expect(try journal.messages(query).map(\.message.content) == [.text("call \(index)")])
      #expect(try journal.summaries()[.line(line)]?.last == Int64(index + 1))
    }
    #expect(try journal.clear(.line(lines[2])) == 1)
    #expect(try journal.messages(HistoryQuery()).map(\.number) == [1, 2])
  }

  @Test func `a hundred thousand messages are paged and searched at once`() throws {
    let journal = try Journal(path: folder.path)
    let count = Seeds.areAll ? 100_000 : 10_000
    let senders = try (0..<4).map { _ in try NodeKey().id }
    let words = ["stand", "by", "lights", "go", "sound", "cue", "stage", "left", "right", "hold"]
    for batch in 0..<count / 1000 {
      try journal.write(
        (0..<1000).map { index in
          let number = batch * 1000 + index
          let text = (0..<8).map { words[(number / ($0 + 1)) % words.count] }.joined(separator: " ")
          return .message(
            Message(
              key: MessageKey(sender: senders[number % 4], sequence: UInt64(number + 1)),
              conversation: .member(senders[number % 4]), content: .text("\(text) \(number)"),
              sentUnixMilliseconds: 0, takenUnixMilliseconds: 0))
        })
    }
    let clock = ContinuousClock()
    var query = HistoryQuery()
    query.conversation = .member(senders[1])
    let first = clock.now
    #expect(try journal.messages(query).count == 50)
    let page = clock.now - first
    let third = clock.now
    let summaries = try journal.summaries()
    let listing = clock.now - third
    #expect(summaries.count == 4 && summaries.values.map(\.unread) == [0, 0, 0, 0])
    query = HistoryQuery()
    query.words = "\(count - 7)"
    let second = clock.now
    #expect(try journal.messages(query).count == 1)
    let search = clock.now - second
    // Far above what either takes on an idle machine, and far below reading all rows of a page each.
    #expect(
      page < .milliseconds(200) && search < .milliseconds(500) && listing < .milliseconds(200),
      "\(page), \(search), \(listing)")
    print("journal of \(count) messages: page \(page), conversations \(listing), search \(search)")
  }
}
