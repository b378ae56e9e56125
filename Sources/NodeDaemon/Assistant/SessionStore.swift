internal import Assistant
internal import Glibc
internal import Journal
internal import Logging
internal import Messages

/// Sessions and agreements on the disk, on a thread of their own, as a disk may take its time.
///
/// There is no file until somebody agrees to something, and none where the node keeps nothing.
actor SessionStore {
  static let fileName = "sessions.db"
  private static let companions = ["", "-wal", "-shm"]

  private let path: String?
  private let days: Int
  private let log: Logger
  private var journal: SessionJournal?
  /// Sessions of which nothing is kept any more, though their calls go on.
  private var forgotten: Set<String> = []
  /// Why nothing is kept beyond this run; nil: it is, or nobody wanted it.
  private(set) var problem: String?

  private let executor = QueueExecutor(label: "sessions")
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// - Parameters:
  ///   - directory: of the node's state; nil: it has none.
  ///   - days: that sessions are kept.
  init(directory: String?, days: Int, log: Logger) {
    path = directory.map { "\($0)/\(Self.fileName)" }
    (self.days, self.log) = (days, log)
  }

  /// What somebody agreed to.
  func consent(of caller: String) -> Consent? {
    guard let journal = open(making: false) else { return nil }
    return reading { () throws(JournalError) in try journal.consent(of: caller) } ?? nil
  }

  /// Keeps what somebody agreed to; false: it holds for this run only.
  func keep(_ consent: Consent) throws(JournalError) {
    guard let journal = open(making: true) else { return }
    try journal.keep(consent)
  }

  /// Forgets it, with all sessions of theirs.
  func withdraw(_ caller: String) throws(JournalError) {
    try open(making: false)?.withdraw(caller)
  }

  /// Keeps a session as it is now.
  func keep(_ session: AssistantSession) {
    guard !forgotten.contains(session.id) else { return }
    write { (journal) throws(JournalError) in try journal.keep(session) }
  }

  /// Keeps something that was said.
  func add(_ turn: SessionTurn, to session: AssistantSession) {
    guard !forgotten.contains(session.id) else { return }
    write { (journal) throws(JournalError) in
      if try journal.session(session.id) == nil { try journal.keep(session) }
      try journal.add(turn, to: session.id)
    }
  }

  /// Keeps nothing more of a session, which may go on.
  func forget(_ session: String) { forgotten.insert(session) }

  /// Nothing more comes of a session.
  func release(_ session: String) { forgotten.remove(session) }

  /// The last sessions, the newest first.
  func sessions(of caller: String?, limit: Int) throws(JournalError) -> [AssistantSession] {
    try open(making: false)?.sessions(of: caller, limit: limit) ?? []
  }

  /// A session with what was said.
  func session(
    _ id: String
  ) throws(JournalError) -> (session: AssistantSession, turns: [SessionTurn])? {
    guard let journal = open(making: false), let session = try journal.session(id) else {
      return nil
    }
    return (session, try journal.turns(of: id))
  }

  /// Deletes a session; false: there is none.
  func delete(_ id: String) throws(JournalError) -> Bool {
    try open(making: false)?.delete(id) ?? false
  }

  /// Deletes all; how many.
  func deleteAll(of caller: String?) throws(JournalError) -> Int {
    try open(making: false)?.deleteAll(of: caller) ?? 0
  }

  /// Deletes what is too old.
  func prune(unixMilliseconds now: Int64) {
    guard let journal = open(making: false) else { return }
    _ = reading { [days] () throws(JournalError) in
      try journal.prune(days: days, unixMilliseconds: now)
    }
  }

  /// - Parameter isMade: whether a file is made where there is none.
  private func open(making isMade: Bool) -> SessionJournal? {
    if let journal { return journal }
    guard isMade || path.map({ unsafe access($0, F_OK) == 0 }) ?? false else { return nil }
    do throws(JournalError) {
      journal = try SessionJournal(path: path)
      if path == nil {
        problem = "sessions are kept for this run only: there is no state directory"
      }
    } catch {
      journal = replacement(after: error)
    }
    return journal
  }

  /// A damaged file is set aside; where none can be, sessions are of this run.
  private func replacement(after error: JournalError) -> SessionJournal? {
    if error.isDamage, let path {
      for companion in Self.companions {
        _ = unsafe rename(path + companion, path + ".damaged" + companion)
      }
      log.event(
        .sessionsNotKept, "\(error); it is now \(path).damaged, and sessions begin anew")
      if let journal = try? SessionJournal(path: path) { return journal }
    }
    note("sessions are kept for this run only: \(error)")
    return try? SessionJournal(path: nil)
  }

  private func write(_ body: (SessionJournal) throws(JournalError) -> Void) {
    guard let journal = open(making: true) else { return }
    _ = reading { () throws(JournalError) in try body(journal) }
  }

  private func reading<Answer>(_ body: () throws(JournalError) -> Answer) -> Answer? {
    do throws(JournalError) {
      return try body()
    } catch {
      note("\(error)")
      return nil
    }
  }

  private func note(_ words: String) {
    guard problem != words else { return }
    problem = words
    log.event(.sessionsNotKept, "\(words)")
  }
}
