internal import CSQLite
internal import Cryptography
internal import Glibc
internal import System
public import Messages

/// The messages of a node on its disk: history, what it holds for those who are away, how far everybody is.
///
/// One call at a time; each may wait for the disk. What a call returned from survives a power cut.
public final class Journal: MessageJournal {
  /// Names of facts.
  private enum Fact: String {
    case sequence
    case runSeconds
  }

  let database: Database
  /// Days that messages of these are kept, where that is not as of all others.
  var lineDays: [LineTag: Int] = [:]

  /// Opens the journal in a file, or in memory.
  ///
  /// - Parameter path: nil: nothing is kept beyond this value.
  public convenience init(path: String?) throws(JournalError) {
    if let path { try Self.make(path) }
    do throws(DatabaseError) {
      try self.init(database: Database(path: path ?? ":memory:"), path: path ?? ":memory:")
    } catch {
      throw error.journalError
    }
  }

  /// Makes the file readable by its owner only, as SQLite then makes those beside it; what is wrong SQLite tells, but
  /// that it would follow a link to a file of somebody else's.
  static func make(_ path: String) throws(JournalError) {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC
    let file = SystemCall.result { unsafe open(path, flags, 0o600) }
    guard file != -Int(ELOOP) else {
      throw JournalError("\(path) is a symbolic link; remove it")
    }
    guard file >= 0 else { return }
    let opened = Descriptor(owning: Int32(file))
    _ = fchmod(opened.number, 0o600)
  }

  /// For tests: a file of another file system of SQLite's.
  convenience init(path: String, fileSystem: String) throws(DatabaseError) {
    try self.init(database: Database(path: path, fileSystem: fileSystem), path: path)
  }

  private init(database: Database, path: String) throws(DatabaseError) {
    guard try Schema.bring(database) else {
      throw DatabaseError(result: DatabaseError.laterVersion, path: path)
    }
    self.database = database
    lineDays = try readLineDays()
  }

  // MARK: As the desk uses it

  /// What was kept, but messages and envelopes.
  public func load() throws(JournalError) -> JournalState {
    do throws(DatabaseError) {
      var state = JournalState()
      let contacts = try database.query("SELECT node, key, groups FROM contact") {
        ($0.bytes(0), $0.bytes(1), $0.bytes(2))
      }
      for (node, key, groups) in contacts {
        guard let node = NodeID(octets: node), let key = try? PublicKey(key) else { continue }
        let tags = Self.parts(groups, Group.tagByteCount).compactMap { GroupTag(octets: $0) }
        state.contacts[node] = Contact(key: key, groups: Set(tags))
      }
      state.marks = try marks("mark")
      state.receipts = try marks("receipt")
      state.held = try database.query(
        """
        SELECT sender, sequence, length(octets), remaining, until, audio, audio_size, readers
        FROM held
        """
      ) { line in
        NodeID(octets: line.bytes(0)).map { sender in
          HeldEnvelope(
            key: MessageKey(sender: sender, sequence: line.bits(1)),
            byteCount: Int(line.number(2)), attachment: Self.attachment(line, 5),
            remaining: Self.nodes(line.bytes(3)), untilRunSeconds: line.bits(4),
            readers: Self.nodes(line.bytes(7)))
        }
      }.compactMap { $0 }
      state.audio = try wholeAudio()
      state.lines = try lines()
      state.sequence = try fact(.sequence)
      state.runSeconds = try fact(.runSeconds)
      // Else the next one would be more than a number can be.
      guard state.sequence < MessageLimits.sequences.upperBound, state.runSeconds < 1 << 62 else {
        throw DatabaseError(result: -Int32(CSQLITE_CORRUPT), path: database.path)
      }
      return state
    } catch {
      throw error.journalError
    }
  }

  /// Keeps all of it, or nothing.
  public func write(_ changes: [JournalChange]) throws(JournalError) {
    do throws(DatabaseError) {
      try database.transaction { () throws(DatabaseError) in
        for change in changes { try apply(change) }
      }
    } catch {
      throw error.journalError
    }
  }

  /// The octets of an envelope that is held.
  public func envelope(_ key: MessageKey) throws(JournalError) -> [UInt8]? {
    do throws(DatabaseError) {
      return try database.query(
        "SELECT octets FROM held WHERE sender = ? AND sequence = ?", Self.values(key)
      ) { $0.bytes(0) }.first
    } catch {
      throw error.journalError
    }
  }

  /// A sealed piece of audio; nil: it is not there.
  public func piece(_ number: Int, of audio: AudioName) throws(JournalError) -> [UInt8]? {
    do throws(DatabaseError) {
      return try database.query(
        "SELECT octets FROM piece WHERE audio = ? AND number = ?",
        [.bytes(audio.octets), .number(Int64(number))]
      ) { $0.bytes(0) }.first
    } catch {
      throw error.journalError
    }
  }

  /// The file of a voice message, opened; nil: it is not there, not whole, or not what was sealed.
  public func audio(of clip: VoiceClip) throws(JournalError) -> [UInt8]? {
    var file: [UInt8] = []
    let count = clip.attachment.pieceCount
    for number in 0..<count {
      guard let box = try piece(number, of: clip.attachment.name),
        let octets = clip.seal.open(box, number: number, isLast: number == count - 1)
      else { return nil }
      file += octets
    }
    return file
  }

  /// Audio that is there as a whole; what nothing has is forgotten, as what a run before did not fetch to its end.
  private func wholeAudio() throws(DatabaseError) -> Set<AudioName> {
    try database.execute(
      """
      DELETE FROM piece WHERE audio NOT IN (SELECT audio FROM message WHERE audio IS NOT NULL
        UNION SELECT audio FROM held WHERE audio IS NOT NULL)
      """)
    let names = try database.query(
      """
      SELECT audio FROM (SELECT audio, audio_size FROM message WHERE audio IS NOT NULL
        UNION SELECT audio, audio_size FROM held WHERE audio IS NOT NULL) AS wanted
      WHERE audio_size = (SELECT sum(length(octets)) FROM piece WHERE piece.audio = wanted.audio)
      """
    ) { AudioName(octets: $0.bytes(0)) }
    return Set(names.compactMap { $0 })
  }

  private func add(_ pieces: [[UInt8]], from first: Int, of audio: AudioName) throws(DatabaseError)
  {
    for (index, piece) in pieces.enumerated() {
      try database.execute(
        "INSERT OR REPLACE INTO piece VALUES (?, ?, ?)",
        [.bytes(audio.octets), .number(Int64(first + index)), .bytes(piece)])
    }
  }

  private func apply(_ change: JournalChange) throws(DatabaseError) {
    switch change {
    case .contact(let node, let contact):
      let groups = contact.groups.map(\.octets).sorted { $0.lexicographicallyPrecedes($1) }
      try database.execute(
        "INSERT OR REPLACE INTO contact VALUES (?, ?, ?)",
        [.bytes(node.octets), .bytes(contact.key.bytes), .bytes(groups.flatMap { $0 })])
    case .forget(let node):
      try database.execute("DELETE FROM contact WHERE node = ?", [.bytes(node.octets)])
    case .message(let message): try add(message)
    case .edit(let edit): try apply(edit)
    case .reaction(let reaction): try apply(reaction)
    case .pieces(let audio, let first, let pieces): try add(pieces, from: first, of: audio)
    case .forgetAudio(let audio):
      try database.execute(
        """
        DELETE FROM piece WHERE audio = ?1 AND NOT EXISTS (SELECT 1 FROM message WHERE audio = ?1)
          AND NOT EXISTS (SELECT 1 FROM held WHERE audio = ?1)
        """, [.bytes(audio.octets)])
    case .hold(let held, let octets):
      try database.execute(
        "INSERT OR REPLACE INTO held VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        Self.values(held.key) + [
          .bytes(octets), .bytes(Self.octets(held.remaining)), .bits(held.untilRunSeconds),
        ] + Self.values(held.attachment) + [.bytes(Self.octets(held.readers))])
    case .remaining(let key, let nodes):
      guard !nodes.isEmpty else {
        return try database.execute(
          "DELETE FROM held WHERE sender = ? AND sequence = ?", Self.values(key))
      }
      try database.execute(
        "UPDATE held SET remaining = ? WHERE sender = ? AND sequence = ?",
        [.bytes(Self.octets(nodes))] + Self.values(key))
    case .line(let tag, let kept): try set(tag, kept)
    case .mark(let node, let mark):
      try countRead(node, upTo: mark.read)
      try set("mark", node, mark)
    case .receipt(let node, let mark): try set("receipt", node, mark)
    case .sequence(let sequence): try set(.sequence, sequence)
    case .runSeconds(let seconds): try set(.runSeconds, seconds)
    }
  }

  private func add(_ message: Message) throws(DatabaseError) {
    let (kind, text, clip): (Int64, String, [UInt8]?) =
      switch message.content {
      case .text(let text): (1, text, nil)
      case .voice(let clip): (2, "", clip.octets)
      case .unknown(let kind): (-Int64(kind), "", nil)
      case .edit, .reaction: preconditionFailure("Message.change makes these changes of others")
      }
    let attachment = message.content.attachment
    let size = text.utf8.count + (clip?.count ?? 0) + (attachment?.byteCount ?? 0)
    try database.execute(
      """
      INSERT INTO message (sender, sequence, conversation_kind, conversation, kind, text, sent,
        taken, recipients, size, audio, audio_size, clip)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """,
      Self.values(message.key) + Self.values(message.conversation) + [
        .number(kind), .text(text), .number(message.sentUnixMilliseconds),
        .number(message.takenUnixMilliseconds), .bytes(Self.octets(message.recipients)),
        .number(Int64(size + Self.overheadBytes)),
      ] + Self.values(attachment) + [clip.map { .bytes($0) } ?? .null])
  }

  private func marks(_ table: String) throws(DatabaseError) -> [NodeID: MessageMark] {
    let rows = try database.query("SELECT node, delivered, read FROM \(table)") {
      ($0.bytes(0), MessageMark(delivered: $0.bits(1), read: $0.bits(2)))
    }
    return rows.reduce(into: [:]) { marks, row in
      if let node = NodeID(octets: row.0) { marks[node] = row.1 }
    }
  }

  private func set(_ table: String, _ node: NodeID, _ mark: MessageMark) throws(DatabaseError) {
    try database.execute(
      "INSERT OR REPLACE INTO \(table) VALUES (?, ?, ?)",
      [.bytes(node.octets), .bits(mark.delivered), .bits(mark.read)])
  }

  private func fact(_ fact: Fact) throws(DatabaseError) -> UInt64 {
    try database.query("SELECT value FROM fact WHERE name = ?", [.text(fact.rawValue)]) {
      $0.bits(0)
    }.first ?? 0
  }

  private func set(_ fact: Fact, _ value: UInt64) throws(DatabaseError) {
    try database.execute(
      "INSERT OR REPLACE INTO fact VALUES (?, ?)", [.text(fact.rawValue), .bits(value)])
  }
}

extension Journal {
  /// What a message takes beside its text: rows, indexes, IDs.
  static let overheadBytes = 250

  static func values(_ key: MessageKey) -> [Database.Value] {
    [.bytes(key.sender.octets), .bits(key.sequence)]
  }

  static func values(_ conversation: Conversation) -> [Database.Value] {
    switch conversation {
    case .member(let node): [.number(1), .bytes(node.octets)]
    case .group(let tag): [.number(2), .bytes(tag.octets)]
    case .line(.named(let name)): [.number(3), .bytes(Array(name.utf8))]
    case .line(.hidden(let id)): [.number(4), .bytes(id)]
    }
  }

  static func values(_ attachment: Attachment?) -> [Database.Value] {
    [
      attachment.map { .bytes($0.name.octets) } ?? .null,
      .number(Int64(attachment?.byteCount ?? 0)),
    ]
  }

  /// From a column on: name, length.
  static func attachment(_ line: borrowing Database.Line, _ index: Int32) -> Attachment? {
    AudioName(octets: line.bytes(index)).flatMap {
      Attachment(name: $0, byteCount: Int(line.number(index + 1)))
    }
  }

  static func conversation(kind: Int64, _ octets: [UInt8]) -> Conversation? {
    switch kind {
    case 1: NodeID(octets: octets).map { .member($0) }
    case 2: GroupTag(octets: octets).map { .group($0) }
    case 3: String(validating: octets, as: UTF8.self).map { .line(.named($0)) }
    case 4: octets.count == LineTag.idByteCount ? .line(.hidden(octets)) : nil
    default: nil
    }
  }

  static func octets(_ nodes: [NodeID]) -> [UInt8] { nodes.flatMap(\.octets) }

  static func nodes(_ octets: [UInt8]) -> [NodeID] {
    parts(octets, NodeID.byteCount).compactMap { NodeID(octets: $0) }
  }

  static func parts(_ octets: [UInt8], _ size: Int) -> [[UInt8]] {
    stride(from: 0, to: octets.count, by: size).map {
      Array(octets[$0..<min($0 + size, octets.count)])
    }
  }
}
