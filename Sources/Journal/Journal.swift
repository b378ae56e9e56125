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
  private static func make(_ path: String) throws(JournalError) {
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
        "SELECT sender, sequence, length(octets), remaining, until FROM held"
      ) { line in
        NodeID(octets: line.bytes(0)).map { sender in
          HeldEnvelope(
            key: MessageKey(sender: sender, sequence: line.bits(1)),
            byteCount: Int(line.number(2)), remaining: Self.nodes(line.bytes(3)),
            untilRunSeconds: line.bits(4))
        }
      }.compactMap { $0 }
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
    case .hold(let key, let octets, let remaining, let until):
      try database.execute(
        "INSERT OR REPLACE INTO held VALUES (?, ?, ?, ?, ?)",
        Self.values(key) + [.bytes(octets), .bytes(Self.octets(remaining)), .bits(until)])
    case .remaining(let key, let nodes):
      guard !nodes.isEmpty else {
        return try database.execute(
          "DELETE FROM held WHERE sender = ? AND sequence = ?", Self.values(key))
      }
      try database.execute(
        "UPDATE held SET remaining = ? WHERE sender = ? AND sequence = ?",
        [.bytes(Self.octets(nodes))] + Self.values(key))
    case .mark(let node, let mark): try set("mark", node, mark)
    case .receipt(let node, let mark): try set("receipt", node, mark)
    case .sequence(let sequence): try set(.sequence, sequence)
    case .runSeconds(let seconds): try set(.runSeconds, seconds)
    }
  }

  private func add(_ message: Message) throws(DatabaseError) {
    let (kind, text): (Int64, String) =
      switch message.content {
      case .text(let text): (1, text)
      case .unknown(let kind): (-Int64(kind), "")
      }
    try database.execute(
      """
      INSERT INTO message (sender, sequence, conversation_kind, conversation, kind, text, sent,
        taken, recipients, size) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
      """,
      Self.values(message.key) + Self.values(message.conversation) + [
        .number(kind), .text(text), .number(message.sentUnixMilliseconds),
        .number(message.takenUnixMilliseconds), .bytes(Self.octets(message.recipients)),
        .number(Int64(text.utf8.count + Self.overheadBytes)),
      ])
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
    }
  }

  static func conversation(kind: Int64, _ octets: [UInt8]) -> Conversation? {
    switch kind {
    case 1: NodeID(octets: octets).map { .member($0) }
    case 2: GroupTag(octets: octets).map { .group($0) }
    default: nil
    }
  }

  static func octets(_ nodes: [NodeID]) -> [UInt8] { nodes.flatMap(\.octets) }

  static func nodes(_ octets: [UInt8]) -> [NodeID] {
    parts(octets, NodeID.byteCount).compactMap { NodeID(octets: $0) }
  }

  private static func parts(_ octets: [UInt8], _ size: Int) -> [[UInt8]] {
    stride(from: 0, to: octets.count, by: size).map {
      Array(octets[$0..<min($0 + size, octets.count)])
    }
  }
}
