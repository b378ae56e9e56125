import Cryptography
import TestKit
import Testing

@testable import Journal
@testable import Messages

/// What is kept of lines and for how long, edits and reactions.
@Suite(.timeLimit(.minutes(5))) struct ConversationJournalTests {
  private let folder: JournalFolder

  init() throws { folder = try JournalFolder() }

  private func say(
    _ text: String, _ sequence: UInt64, by sender: NodeID, on line: LineTag, in journal: Journal
  ) throws {
    try journal.write([
      .message(
        Message(
          key: MessageKey(sender: sender, sequence: sequence), conversation: .line(line),
          content: .text(text), sentUnixMilliseconds: 0, takenUnixMilliseconds: 0))
    ])
  }

  @Test func `a line has days of its own, after another opening too`() throws {
    let (node, day) = (try NodeKey().id, Int64(86_400_000))
    let (stage, video) = (LineTag.named("stage"), LineTag.hidden([UInt8](repeating: 1, count: 16)))
    do {
      let journal = try Journal(path: folder.path)
      for (index, line) in [stage, video, .named("other")].enumerated() {
        try say("x\(index)", UInt64(index + 1), by: node, on: line, in: journal)
      }
      try journal.write([.mark(node, MessageMark(delivered: 3, read: 3))])
      try journal.keep(stage, days: 90)
      try journal.keep(video, days: 2)
      #expect(!journal.letsPass)
    }
    let journal = try Journal(path: folder.path)
    #expect(journal.days(of: stage) == 90 && journal.days(of: .named("other")) == nil)
    func left() throws -> [Int64] { try journal.messages(HistoryQuery()).map(\.number) }
    #expect(try journal.prune(HistoryRetention(), unixMilliseconds: 2 * day) == 0)
    #expect(try journal.prune(HistoryRetention(), unixMilliseconds: 2 * day + 1) == 1)
    #expect(try left() == [1, 3])
    #expect(try journal.prune(HistoryRetention(), unixMilliseconds: 31 * day) == 1)
    #expect(try left() == [1])
    try journal.keep(stage, days: nil)
    #expect(try journal.prune(HistoryRetention(), unixMilliseconds: 31 * day) == 1)
    for number in 0..<300 { try? journal.keep(.named("\(number)"), days: 1) }
    #expect(throws: JournalError.self) { try journal.keep(.named("more"), days: 1) }
  }

  @Test func `of a line that keeps nothing all goes once it is read and delivered, and is nowhere`()
    throws
  {
    let (node, own) = (try NodeKey().id, try NodeKey().id)
    let stage = LineTag.named("stage")
    let journal = try Journal(path: folder.path)
    try journal.keep(stage, days: 0)
    #expect(journal.letsPass)
    try say("cloakroom", 1, by: node, on: stage, in: journal)
    try say("cloakroom too", 2, by: node, on: stage, in: journal)
    try say("my cloakroom", 1, by: own, on: stage, in: journal)
    try say("lobby", 3, by: node, on: .named("other"), in: journal)
    let key = MessageKey(sender: own, sequence: 1)
    try journal.write([
      .mark(node, MessageMark(delivered: 3, read: 0)),
      .hold(
        HeldEnvelope(key: key, byteCount: 1, remaining: [node], untilRunSeconds: 9), octets: [1]),
    ])
    #expect(try journal.removePassed(upTo: 99) == 0, "not read, and not delivered")
    try journal.write([.mark(node, MessageMark(delivered: 3, read: 1))])
    #expect(try journal.removePassed(upTo: 0) == 0)
    #expect(try journal.removePassed(upTo: 99) == 1)
    try journal.write([.mark(node, MessageMark(delivered: 3, read: 3)), .remaining(key, [])])
    #expect(try journal.removePassed(upTo: 99) == 2)
    #expect(try journal.messages(HistoryQuery()).map(\.message.content) == [.text("lobby")])
    for end in ["", "-wal"] {
      #expect(try !folder.octets(end).contains(Array("cloakroom".utf8)))
    }
    var query = HistoryQuery()
    query.words = "lobby"
    #expect(try journal.messages(query).count == 1)
  }

  @Test func `another text takes the place of one, is found, and the one before is not`() throws {
    let node = try NodeKey().id
    let (stage, other) = (LineTag.named("stage"), LineTag.named("other"))
    do {
      let journal = try Journal(path: folder.path)
      try say("cue three", 1, by: node, on: stage, in: journal)
      let target = MessageKey(sender: node, sequence: 1)
      for (line, text) in [(stage, "cue four"), (other, "nonsense"), (stage, "cue five")] {
        try journal.write([
          .edit(
            MessageEdit(
              target: target, conversation: .line(line), text: text, sentUnixMilliseconds: 1700))
        ])
      }
      #expect(
        try journal.place(of: target) == MessagePlace(conversation: .line(stage), isText: true))
      #expect(try journal.place(of: MessageKey(sender: node, sequence: 2)) == nil)
    }
    let journal = try Journal(path: folder.path)
    let entry = try #require(try journal.messages(HistoryQuery()).first)
    #expect(entry.message.content == .text("cue five") && entry.editedUnixMilliseconds == 1700)
    for (words, count) in [("five", 1), ("cue", 1), ("three", 0), ("four", 0), ("nonsense", 0)] {
      var query = HistoryQuery()
      query.words = words
      #expect(try journal.messages(query).count == count, "\(words)")
    }
    try journal.remove(1)
    var query = HistoryQuery()
    query.words = "cue"
    #expect(try journal.messages(query).isEmpty)
    #expect(try !folder.octets("").contains(Array("cue".utf8)))
  }

  @Test func `signs are one of each node, wait for their message, and go with it`() throws {
    let nodes = try (0..<3).map { _ in try NodeKey().id }
    let journal = try Journal(path: folder.path)
    let target = MessageKey(sender: nodes[0], sequence: 1)
    func react(_ node: NodeID, _ sign: String?, on line: String = "stage") throws {
      try journal.write([
        .reaction(
          Reaction(
            target: target, conversation: .line(.named(line)), node: node, sign: sign))
      ])
    }
    func shown() throws -> [String] {
      try journal.messages(HistoryQuery()).first?.reactions.map(\.sign) ?? []
    }
    try react(nodes[1], "early")
    try react(nodes[2], "elsewhere", on: "other")
    try say("x", 1, by: nodes[0], on: .named("stage"), in: journal)
    #expect(try shown() == ["early"])
    try react(nodes[1], "ok")
    try react(nodes[0], "own")
    try react(nodes[2], "elsewhere", on: "other")
    #expect(try shown() == ["ok", "own"])
    try react(nodes[1], nil)
    #expect(try shown() == ["own"])
    for number in 0..<300 {
      var octets = [UInt8](repeating: 1, count: NodeID.byteCount)
      (octets[0], octets[1]) = (UInt8(number >> 8), UInt8(number & 0xFF))
      try react(try #require(NodeID(octets: octets)), "y")
    }
    #expect(try shown().count == MessageLimits.reactions)
    try journal.remove(1)
    func count() throws -> Int64 {
      try journal.database.query("SELECT count(*) FROM reaction") { $0.number(0) }.first ?? 0
    }
    #expect(try count() == 0)
    for number in UInt64(1)...200 {
      for node in nodes {
        let early = Reaction(
          target: MessageKey(sender: nodes[0], sequence: number + 50),
          conversation: .line(.named("stage")), node: node, sign: "z")
        try journal.write([.reaction(early)])
      }
    }
    #expect(try count() == Int64(3 * MessageLimits.earlyReactionsOfNode))
  }

  /// As it would be counted each time.
  private func counted(_ journal: Journal) throws -> [Conversation: [Int64]] {
    let rows = try journal.database.query(
      """
      SELECT conversation_kind, conversation, max(id),
        sum(sequence > coalesce((SELECT read FROM mark WHERE node = sender), sequence))
      FROM message GROUP BY conversation_kind, conversation
      """
    ) { (Journal.conversation(kind: $0.number(0), $0.bytes(1)), $0.number(2), $0.number(3)) }
    return rows.reduce(into: [:]) { all, row in
      if let conversation = row.0 { all[conversation] = [row.1, row.2] }
    }
  }

  @Test(arguments: Seeds.first(20))
  func `what is told of conversations is what there is, whatever comes, is read and goes`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    let nodes = try (0..<3).map { _ in try NodeKey().id }
    let lines = [
      LineTag.named("stage"), .named("video"), .hidden([UInt8](repeating: 1, count: 16)),
    ]
    let journal = try Journal(path: nil)
    try journal.keep(lines[2], days: 0)
    var sequence: UInt64 = 0
    for _ in 0..<200 {
      let node = nodes[Int.random(in: 0..<3, using: &random)]
      switch Int.random(in: 0..<12, using: &random) {
      case 0:
        let read = UInt64.random(in: 0...sequence, using: &random)
        try journal.write([.mark(node, MessageMark(delivered: sequence, read: read))])
      case 1: try journal.remove(Int64.random(in: 1...200, using: &random))
      case 2: _ = try journal.clear(.line(lines[Int.random(in: 0..<3, using: &random)]))
      case 3: _ = try journal.removePassed(upTo: Int64.random(in: 0...200, using: &random))
      case 4:
        _ = try journal.prune(
          HistoryRetention(bytes: Int.random(in: 100...20_000, using: &random)),
          unixMilliseconds: 1)
      default:
        sequence += 1
        let line = lines[Int.random(in: 0..<3, using: &random)]
        try say("x", sequence, by: node, on: line, in: journal)
      }
      let told = try journal.summaries().mapValues { [$0.last, Int64($0.unread)] }
      #expect(try told == counted(journal), "seed \(seed)")
      #expect(try journal.unreadCount() == told.values.reduce(0) { $0 + Int($1[1]) })
    }
  }
}
