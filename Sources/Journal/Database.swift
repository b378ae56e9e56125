internal import CSQLite
internal import Messages

/// One connection to an SQLite database, with its prepared statements; for one thread at a time.
///
/// Write-ahead log, every transaction synced: what a call returned from is there after a power cut.
@safe final class Database {
  private let connection: OpaquePointer
  let path: String
  private var statements: [String: Statement] = [:]

  /// Opens a file, made where it is missing.
  ///
  /// - Parameter fileSystem: SQLite's name of the file system; nil: the system's.
  init(path: String, fileSystem: String? = nil) throws(DatabaseError) {
    var opened: OpaquePointer?
    let result =
      if let fileSystem { unsafe csqlite_open(&opened, path, fileSystem) } else {
        unsafe csqlite_open(&opened, path, nil)
      }
    guard result == 0, let opened = unsafe opened else {
      throw DatabaseError(result: result, path: path)
    }
    unsafe connection = opened
    self.path = path
    // WAL keeps one writer and its readers apart and syncs once a commit; no other process has the file. EXTRA also
    // syncs the directory: else a power cut could bring the rollback journal from before WAL back,
    // and that would undo all.
    for pragma in [
      "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA synchronous = EXTRA", "PRAGMA journal_mode = WAL",
      "PRAGMA cache_size = -1024", "PRAGMA temp_store = MEMORY", "PRAGMA mmap_size = 0",
      "PRAGMA wal_autocheckpoint = 256", "PRAGMA journal_size_limit = 1048576",
      "PRAGMA cell_size_check = ON",
    ] {
      let result = unsafe csqlite_run(connection, pragma)
      guard result == 0 else { throw DatabaseError(result: result, path: path) }
    }
  }

  deinit {
    statements = [:]
    unsafe csqlite_close(connection)
  }

  /// Runs statements without parameters and rows.
  func run(_ sql: String) throws(DatabaseError) {
    try check(unsafe csqlite_run(connection, sql))
  }

  /// Runs a body whose changes are all kept, or none of them.
  func transaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    try run("BEGIN IMMEDIATE")
    do throws(DatabaseError) {
      try body()
      try run("COMMIT")
    } catch {
      // Some failures have rolled back already.
      _ = unsafe csqlite_run(connection, "ROLLBACK")
      throw error
    }
  }

  /// Runs a statement; what rows it gives are read by `row`.
  func query<Row>(
    _ sql: String, _ values: [Value] = [], row: (borrowing Line) throws(DatabaseError) -> Row
  ) throws(DatabaseError) -> [Row] {
    let statement = try statement(sql)
    defer { unsafe csqlite_reset(statement.pointer) }
    for (index, value) in values.enumerated() {
      try check(statement.bind(value, at: Int32(index) + 1))
    }
    var rows: [Row] = []
    while true {
      let result = unsafe csqlite_step(statement.pointer)
      guard result == Int32(CSQLITE_ROW) else {
        try check(result)
        return rows
      }
      rows.append(try row(Line(statement)))
    }
  }

  /// Runs a statement that gives no rows.
  func execute(_ sql: String, _ values: [Value] = []) throws(DatabaseError) {
    _ = try query(sql, values) { (_) throws(DatabaseError) in }
  }

  /// Runs a statement that removes rows.
  ///
  /// - Returns: how many.
  func removing(_ sql: String, _ values: [Value] = []) throws(DatabaseError) -> Int {
    try execute(sql, values)
    return Int(unsafe csqlite_changes(connection))
  }

  private func statement(_ sql: String) throws(DatabaseError) -> Statement {
    if let known = statements[sql] { return known }
    var prepared: OpaquePointer?
    try check(unsafe csqlite_prepare(connection, sql, &prepared))
    guard let pointer = unsafe prepared else { throw DatabaseError(result: 0, path: path) }
    let statement = unsafe Statement(pointer)
    statements[sql] = statement
    return statement
  }

  private func check(_ result: Int32) throws(DatabaseError) {
    guard result == 0 else { throw DatabaseError(result: result, path: path) }
  }

  /// A value of a parameter.
  enum Value {
    case number(Int64)
    case text(String)
    case bytes([UInt8])
    case null

    /// A number whose bits are what matters.
    static func bits(_ number: UInt64) -> Value { .number(Int64(bitPattern: number)) }
  }

  /// A prepared statement.
  @safe final class Statement {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe csqlite_finalize(pointer) }

    func bind(_ value: Value, at index: Int32) -> Int32 {
      switch value {
      case .number(let number): unsafe csqlite_bind_number(pointer, index, number)
      case .text(let text):
        unsafe csqlite_bind_text(pointer, index, text, text.utf8.count)
      case .bytes(let bytes): unsafe csqlite_bind_bytes(pointer, index, bytes, bytes.count)
      case .null: unsafe csqlite_bind_null(pointer, index)
      }
    }
  }

  /// The row that a query stands at.
  struct Line: ~Copyable {
    private let statement: Statement

    fileprivate init(_ statement: Statement) { self.statement = statement }

    func number(_ index: Int32) -> Int64 { unsafe csqlite_column_number(statement.pointer, index) }

    func bits(_ index: Int32) -> UInt64 { UInt64(bitPattern: number(index)) }

    func bytes(_ index: Int32) -> [UInt8] {
      var count = 0
      guard let bytes = unsafe csqlite_column_bytes(statement.pointer, index, &count) else {
        return []
      }
      return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    func text(_ index: Int32) -> String { String(decoding: bytes(index), as: UTF8.self) }
  }
}

/// What SQLite says.
struct DatabaseError: Error, Hashable {
  let result: Int32
  let path: String

  /// No result of SQLite's: a later version of this software wrote the file.
  static let laterVersion: Int32 = 1

  /// Whether the file is no database, or a damaged one.
  var isDamage: Bool {
    let code = csqlite_primary(result)
    return code == Int32(CSQLITE_CORRUPT) || code == Int32(CSQLITE_NOT_A_DATABASE)
  }

  /// One sentence for people.
  var words: String {
    if result == Self.laterVersion {
      return "\(path) was written by a later version of comlinkd; update this one"
    }
    let reason = unsafe String(cString: csqlite_words(result))
    switch csqlite_primary(result) {
    case Int32(CSQLITE_FULL): return "the disk of \(path) is full; free some room"
    case Int32(CSQLITE_BUSY): return "\(path) is in use by another program; end that"
    case Int32(CSQLITE_CORRUPT), Int32(CSQLITE_NOT_A_DATABASE): return "\(path) is damaged"
    default: return "cannot keep anything in \(path): \(reason)"
    }
  }

  var journalError: JournalError { JournalError(words, isDamage: isDamage) }
}
