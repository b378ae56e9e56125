internal import Captions
internal import Cryptography
internal import Glibc
internal import Journal
internal import Logging
internal import Messages
internal import Remote
internal import StatusSchema

/// Transcripts that the user wants kept, in a database, on a thread of their own, as a disk may take its time.
///
/// There is no file until somebody wants one, and what is too old goes.
actor CaptionArchive {
  static let fileName = "captions.db"
  private static let companions = ["", "-wal", "-shm"]

  private let path: String?
  private let log: Logger
  private var journal: TranscriptJournal?
  /// Why nothing is kept; nil: it is, or nobody wants it.
  private(set) var problem: String?

  private let executor = QueueExecutor(label: "captions")
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// - Parameter directory: of the node's state; nil: it has none, and what is kept is of this run.
  init(directory: String?, log: Logger) {
    path = directory.map { "\($0)/\(Self.fileName)" }
    self.log = log
  }

  /// Keeps what was said; false: it could not.
  func keep(_ pages: [CaptionPageOfArchive]) -> Bool {
    asking(making: true) { (journal: TranscriptJournal) throws(JournalError) -> Bool in
      for page in pages {
        try journal.keep(page.speech, of: page.transcript, isWhole: page.isWhole)
      }
      return true
    } ?? false
  }

  /// The last that was kept, in the order in which it was said.
  func speech(_ query: CaptionQuery) -> [CaptionStatus] {
    let found =
      asking(making: false) { (journal) throws(JournalError) in
        try journal.speech(
          words: query.search, of: query.session, limit: query.limit ?? CaptionQuery.usualLimit)
      } ?? []
    return found.map { Self.status(of: $0.speech, in: $0.transcript) }
  }

  private static func status(
    of speech: KeptSpeech, in transcript: KeptTranscript
  ) -> CaptionStatus {
    var status = CaptionStatus(
      number: 0, session: transcript.id, index: Int(speech.place), talker: speech.talker,
      talkerID: speech.node, startSeconds: Double(speech.startMilliseconds) / 1000,
      seconds: Double(speech.durationMilliseconds) / 1000, text: speech.text, isFinal: true)
    status.role = speech.role.isEmpty ? nil : speech.role
    status.colour = speech.colourRGB.map { Configuration.text(ofColour: $0) }
    status.language = speech.language.isEmpty ? nil : speech.language
    if speech.isMarker { status.isMarker = true }
    status.unixSeconds =
      Double(transcript.startedUnixMilliseconds + speech.startMilliseconds) / 1000
    return status
  }

  /// Deletes what ended more than so many days ago.
  func prune(days: Int, unixMilliseconds now: Int64) {
    _ = asking(making: false) { (journal) throws(JournalError) in
      try journal.prune(days: days, unixMilliseconds: now)
    }
  }

  /// Deletes all; how many sessions.
  func removeAll() throws(JournalError) -> Int {
    guard let journal = try open(making: false) else { return 0 }
    return try journal.removeAll()
  }

  private func open(making isMade: Bool) throws(JournalError) -> TranscriptJournal? {
    if let journal { return journal }
    guard isMade || path.map({ unsafe access($0, F_OK) == 0 }) ?? false else { return nil }
    do throws(JournalError) {
      journal = try TranscriptJournal(path: path)
    } catch {
      guard error.isDamage, let path else { throw error }
      for companion in Self.companions {
        _ = unsafe rename(path + companion, path + ".damaged" + companion)
      }
      log.event(
        .captionsNotKept, "\(error); it is now \(path).damaged, and transcripts begin anew")
      journal = try TranscriptJournal(path: path)
    }
    return journal
  }

  private func asking<Answer>(
    making isMade: Bool, _ body: (TranscriptJournal) throws(JournalError) -> Answer
  ) -> Answer? {
    do throws(JournalError) {
      guard let journal = try open(making: isMade) else { return nil }
      let answer = try body(journal)
      problem = nil
      return answer
    } catch {
      let words = "transcripts are not kept: \(error)"
      if problem != words { log.event(.captionsNotKept, "\(words)") }
      problem = words
      return nil
    }
  }
}

/// What of a session is to be kept.
struct CaptionPageOfArchive: Sendable {
  let key: CaptionSessionKey
  let transcript: KeptTranscript
  let step: TranscriptStep
  let speech: [KeptSpeech]
  var isWhole: Bool { step.isWhole }
}

/// What a node keeps of captions, and for how long; owned by ``CaptionService``.
struct CaptionKeeping {
  static let pause = Duration.seconds(2)
  static let pruneNanoseconds: Int64 = 3_600_000_000_000
  /// After a failure it is tried again so much later.
  private static let retryNanoseconds: Int64 = 10_000_000_000
  /// Chunks that one turn writes: a disk is not held up by hours of history.
  private static let mostChunks = 5000

  let archive: CaptionArchive
  /// 0: nothing is kept.
  var days: Int
  /// Why nothing is kept though it is wanted; nil: it is.
  var problem: String?
  /// Waits for something to write; nil: there is nothing.
  var task: Task<Void, Never>?
  var prunedNanoseconds: Int64 = .min
  private var ledgers: [CaptionSessionKey: TranscriptLedger] = [:]
  private var dirty: Set<CaptionSessionKey> = []
  private var retryAt: Int64 = .min

  init(_ archive: CaptionArchive, days: Int) { (self.archive, self.days) = (archive, days) }

  var isDirty: Bool { !dirty.isEmpty }

  mutating func note(_ key: CaptionSessionKey) { dirty.insert(key) }

  /// A session is held no more; what is kept of it stays.
  mutating func forget(_ key: CaptionSessionKey) {
    ledgers[key] = nil
    dirty.remove(key)
  }

  /// Nothing is known of what is kept: as when all of it was deleted.
  mutating func forgetAll() { (ledgers, dirty) = ([:], []) }

  /// What is to be written now.
  mutating func pages(
    of shelf: CaptionShelf, nowNanoseconds now: Int64, unixMilliseconds: Int64
  ) -> [CaptionPageOfArchive] {
    guard now >= retryAt else { return [] }
    var (pages, count) = ([CaptionPageOfArchive](), 0)
    for key in dirty where count < Self.mostChunks {
      dirty.remove(key)
      let ledger = ledgers[key] ?? TranscriptLedger()
      guard let transcript = shelf.whole(key), let step = ledger.next(transcript) else { continue }
      let title = shelf.title(transcript)
      let kept = KeptTranscript(
        id: title.session, title: title.scope, captioner: title.captioner,
        startedUnixMilliseconds: unixMilliseconds - (now - transcript.beganNanoseconds) / 1_000_000)
      count += step.chunks.count
      pages.append(
        CaptionPageOfArchive(
          key: key, transcript: kept, step: step,
          speech: step.chunks.map { Self.speech($0, shelf) }))
    }
    return pages
  }

  private static func speech(_ chunk: CaptionChunk, _ shelf: CaptionShelf) -> KeptSpeech {
    let talker = chunk.talker
    var speech = KeptSpeech(
      place: Int64(chunk.index), node: talker.node.text,
      talker: talker.name.isEmpty && !chunk.isMarker ? shelf.name(talker.node) : talker.name,
      text: chunk.text)
    (speech.role, speech.colourRGB) = (talker.role, talker.colourRGB)
    speech.startMilliseconds = Int64(chunk.startMilliseconds)
    speech.durationMilliseconds = Int64(chunk.durationMilliseconds)
    (speech.language, speech.isMarker) = (chunk.language, chunk.isMarker)
    return speech
  }

  /// Takes whether they are written.
  mutating func take(_ pages: [CaptionPageOfArchive], areWritten: Bool, nowNanoseconds now: Int64) {
    for page in pages {
      var ledger = ledgers[page.key] ?? TranscriptLedger()
      if areWritten { ledger.note(page.step) } else { dirty.insert(page.key) }
      ledgers[page.key] = ledger
    }
    if !areWritten { retryAt = now + Self.retryNanoseconds }
  }
}
