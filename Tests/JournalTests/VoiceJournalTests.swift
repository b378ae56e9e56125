import Cryptography
import TestKit
import Testing

@testable import Journal
@testable import Messages

/// What is kept of voice messages: their sound, and what is said in them.
@Suite(.timeLimit(.minutes(5))) struct VoiceJournalTests {
  private let folder: JournalFolder

  init() throws { folder = try JournalFolder() }

  @Test func `audio stays as long as a message or an envelope has it, and no longer`() throws {
    let node = try NodeKey().id
    let journal = try Journal(path: folder.path)
    let audio = try SealedAudio([UInt8](repeating: 7, count: 70_000))
    let clip = try #require(
      VoiceClip(attachment: audio.attachment, seal: audio.seal, milliseconds: 90, peaks: [1, 255]))
    let key = MessageKey(sender: node, sequence: 1)
    let message = Message(
      key: key, conversation: .member(node), content: .voice(clip), sentUnixMilliseconds: 1,
      takenUnixMilliseconds: 2)
    let held = HeldEnvelope(
      key: key, byteCount: 3, attachment: audio.attachment, remaining: [node], untilRunSeconds: 9)
    try journal.write([.pieces(audio.attachment.name, first: 0, audio.pieces)])
    #expect(try journal.load().audio.isEmpty, "nothing has it")
    #expect(try journal.piece(0, of: audio.attachment.name) == nil)
    try journal.write([
      .pieces(audio.attachment.name, first: 0, Array(audio.pieces.prefix(2))), .message(message),
      .hold(held, octets: [1, 2, 3]),
    ])
    #expect(try journal.load().audio.isEmpty, "it is not whole")
    #expect(try journal.audio(of: clip) == nil)
    try journal.write([.pieces(audio.attachment.name, first: 2, Array(audio.pieces[2...]))])
    let state = try journal.load()
    #expect(state.audio == [audio.attachment.name] && state.held == [held])
    #expect(try journal.audio(of: clip) == [UInt8](repeating: 7, count: 70_000))
    #expect(try journal.messages(HistoryQuery()).map(\.message) == [message])
    #expect(try journal.clear(nil) == 1)
    #expect(try journal.piece(2, of: audio.attachment.name) == audio.pieces[2])
    try journal.write([.remaining(key, [])])
    #expect(try journal.piece(2, of: audio.attachment.name) == nil)
  }

  @Test func `a voice message goes after its days, a text after its own`() throws {
    let node = try NodeKey().id
    let journal = try Journal(path: nil)
    let audio = try SealedAudio([1, 2, 3])
    let clip = try #require(
      VoiceClip(attachment: audio.attachment, seal: audio.seal, milliseconds: 9, peaks: []))
    for (index, content) in [MessageContent.voice(clip), .text("stays")].enumerated() {
      try journal.write([
        .message(
          Message(
            key: MessageKey(sender: node, sequence: UInt64(index + 1)), conversation: .member(node),
            content: content, sentUnixMilliseconds: 0, takenUnixMilliseconds: 0)),
        .mark(node, MessageMark(delivered: UInt64(index + 1), read: UInt64(index + 1))),
      ])
    }
    let day: Int64 = 86_400_000
    #expect(try journal.prune(HistoryRetention(), unixMilliseconds: 7 * day - 1) == 0)
    #expect(try journal.prune(HistoryRetention(), unixMilliseconds: 8 * day) == 1)
    #expect(try journal.messages(HistoryQuery()).map(\.message.content) == [.text("stays")])
  }

  @Test func `what is said in a voice message is kept beside it, found, counted, and goes with it`()
    throws
  {
    let node = try NodeKey().id
    let audio = try SealedAudio([1, 2, 3])
    let clip = try #require(
      VoiceClip(attachment: audio.attachment, seal: audio.seal, milliseconds: 9, peaks: [1]))
    func message(_ sequence: UInt64, _ content: MessageContent) -> JournalChange {
      .message(
        Message(
          key: MessageKey(sender: node, sequence: sequence), conversation: .member(node),
          content: content, sentUnixMilliseconds: 0, takenUnixMilliseconds: 0))
    }
    func size(_ journal: Journal) throws -> Int64 {
      try journal.database.query("SELECT sum(size) FROM message") { $0.number(0) }.first ?? 0
    }
    func found(_ journal: Journal, _ words: String) throws -> [Int64] {
      var query = HistoryQuery()
      query.words = words
      return try journal.messages(query).map(\.number)
    }
    do {
      let journal = try Journal(path: folder.path)
      try journal.write([
        message(1, .voice(clip)), message(2, .text("t")), message(3, .voice(clip)),
      ])
      #expect(try journal.messages(.unheard).map(\.number) == [1, 3])
      let before = try size(journal)
      try journal.keep(transcript: "caf\u{E9} at nine", of: 1)
      try journal.keep(transcript: "", of: 3)
      try journal.keep(transcript: "no voice message", of: 2)
      #expect(try size(journal) == before + 13)
    }
    let journal = try Journal(path: folder.path)
    #expect(try journal.messages(.unheard).isEmpty)
    let entries = try journal.messages(HistoryQuery())
    #expect(entries.map(\.transcript) == ["caf\u{E9} at nine", nil, nil])
    #expect(entries.map(\.message.content) == [.voice(clip), .text("t"), .voice(clip)])
    #expect(try found(journal, "cafe") == [1] && found(journal, "no voice").isEmpty)
    try journal.remove(1)
    #expect(try found(journal, "cafe").isEmpty)
  }
}
