internal import Captions
internal import Cryptography

/// The transcripts of sessions as files, one of each format.
///
/// It says what is to be written, and takes what became of it; the writing is elsewhere, as a disk may take its time,
/// and captions go on meanwhile. Owned by ``CaptionService``, and not thread-safe.
struct TranscriptKeeper {
  /// So long what is said is collected.
  static let pause = Duration.seconds(2)
  /// So long after a session is first known its history may still come.
  private static let historyNanoseconds: Int64 = 4_000_000_000
  /// After a failure it is tried again so much later.
  private static let retryNanoseconds: Int64 = 10_000_000_000
  /// A whole file is not written anew at more than this, on average: somebody may change what was settled, ever again.
  private static let rewriteBytesPerSecond: Int64 = 200_000
  /// The most sessions of a run: somebody may begin one after another.
  private static let mostSessions = 1000

  private struct Book {
    var ledger = TranscriptLedger()
    let firstNanoseconds: Int64
    /// Without what tells the format; nil: nothing of it is written.
    var name: String?
    var byteCounts: [TranscriptFormat: Int] = [:]
    /// It is not written as a whole before.
    var rewriteNanoseconds: Int64 = .min
  }

  let folder: TranscriptFolder
  /// A disk that does not answer stops nothing but transcripts.
  let writer = StateWriter()
  /// Waits for something to write; nil: there is nothing.
  var task: Task<Void, Never>?
  private var books: [CaptionSessionKey: Book] = [:]
  private var dirty: Set<CaptionSessionKey> = []
  private var sessionCount = 0
  private var retryNanoseconds: Int64 = .min
  /// Why nothing is written, in words.
  private(set) var problem: String?

  init(folder: TranscriptFolder) { self.folder = folder }

  /// Whether something waits.
  var isDirty: Bool { !dirty.isEmpty }

  /// Something of a session is another.
  mutating func note(_ key: CaptionSessionKey, nowNanoseconds now: Int64) {
    if books[key] == nil {
      guard sessionCount < Self.mostSessions else { return }
      sessionCount += 1
      books[key] = Book(firstNanoseconds: now)
    }
    dirty.insert(key)
  }

  /// A session is held no more; its files stay.
  mutating func forget(_ key: CaptionSessionKey) {
    books[key] = nil
    dirty.remove(key)
  }

  /// What is to be written now.
  ///
  /// - Parameter isLast: nothing is waited for, as the node ends.
  mutating func jobs(
    of shelf: CaptionShelf, nowNanoseconds now: Int64, isLast: Bool
  ) -> [TranscriptJob] {
    guard isLast || now >= retryNanoseconds else { return [] }
    var jobs: [TranscriptJob] = []
    for key in dirty {
      guard let book = books[key], let transcript = shelf.whole(key) else {
        dirty.remove(key)
        continue
      }
      let isNew = book.name == nil
      guard isLast || !isNew || now >= book.firstNanoseconds + Self.historyNanoseconds else {
        continue
      }
      guard let step = book.ledger.next(transcript) else {
        dirty.remove(key)
        continue
      }
      guard isLast || !step.isWhole || now >= book.rewriteNanoseconds else { continue }
      dirty.remove(key)
      let title = shelf.title(transcript)
      jobs.append(
        TranscriptJob(
          key: key, folder: folder, title: title, step: step,
          names: step.chunks.map { chunk in
            chunk.talker.name.isEmpty ? shelf.name(chunk.talker.node) : chunk.talker.name
          },
          name: book.name ?? Self.fileName(title), isNew: isNew, byteCounts: book.byteCounts))
    }
    return jobs
  }

  /// Takes what became of it.
  ///
  /// - Returns: why it failed, if it did not before.
  mutating func take(
    _ outcomes: [(job: TranscriptJob, outcome: TranscriptJob.Outcome)], nowNanoseconds now: Int64
  ) -> String? {
    var failure: TranscriptProblem?
    for (job, outcome) in outcomes {
      switch outcome {
      case .written(let name, let byteCounts):
        books[job.key]?.name = name
        books[job.key]?.byteCounts = byteCounts
        books[job.key]?.ledger.note(job.step)
        guard job.step.isWhole else { continue }
        let bytes = Int64(byteCounts.values.reduce(0, +))
        books[job.key]?.rewriteNanoseconds =
          now + bytes * 1_000_000_000 / Self.rewriteBytesPerSecond
      case .changed: lose(job.key)
      case .failed(let problem):
        failure = problem
        lose(job.key)
      }
    }
    guard !outcomes.isEmpty else { return nil }
    let isNew = problem == nil
    problem = failure.map { "\($0)" }
    if failure != nil { retryNanoseconds = now + Self.retryNanoseconds }
    return isNew ? problem : nil
  }

  private mutating func lose(_ key: CaptionSessionKey) {
    guard books[key] != nil else { return }
    books[key]?.ledger.lose()
    dirty.insert(key)
  }

  /// Session and scope, of which letters and digits alone are left.
  static func fileName(_ title: TranscriptTitle) -> String {
    var (words, isGap) = ("", false)
    for character in title.scope.lowercased() {
      guard character.isLetter || character.isNumber else {
        isGap = true
        continue
      }
      let next = (isGap && !words.isEmpty ? "-" : "") + String(character)
      guard words.utf8.count + next.utf8.count <= 60 else { break }
      (words, isGap) = (words + next, false)
    }
    return words.isEmpty ? title.session : "\(title.session)_\(words)"
  }
}

/// What is to be written of a session, to its files.
struct TranscriptJob: Sendable {
  /// What became of it.
  enum Outcome: Sendable {
    /// All is on the disk: the files' name, and how long they are.
    case written(name: String, [TranscriptFormat: Int])
    /// A file is not as it was left: somebody removed or changed it.
    case changed
    case failed(TranscriptProblem)
  }

  /// Files of former runs that are left alone.
  private static let mostNames = 99

  let key: CaptionSessionKey
  let folder: TranscriptFolder
  let title: TranscriptTitle
  let step: TranscriptStep
  /// What each chunk's talker is called.
  let names: [String]
  let name: String
  /// Whether nothing of the session was written in this run.
  let isNew: Bool
  let byteCounts: [TranscriptFormat: Int]

  /// Does it, and waits for the disk.
  func run() -> Outcome {
    do throws(TranscriptProblem) {
      let name = isNew ? unusedName() : name
      var counts = byteCounts
      for format in TranscriptFormat.allCases {
        let bytes = bytes(format)
        let file = "\(name).\(format.rawValue)"
        if step.isWhole {
          try folder.replace(file, with: bytes)
          counts[format] = bytes.count
        } else {
          guard let count = counts[format],
            try folder.append(bytes, to: file, of: count)
          else { return .changed }
          counts[format] = count + bytes.count
        }
      }
      return .written(name: name, counts)
    } catch {
      return .failed(error)
    }
  }

  private func bytes(_ format: TranscriptFormat) -> [UInt8] {
    var text = step.isWhole ? format.head(title) : ""
    for (index, chunk) in step.chunks.enumerated() {
      text += format.text(chunk, number: step.count + index, name: names[index])
    }
    return Array(text.utf8)
  }

  /// What a former run wrote of the session is replaced by as much or more, and never by less: somebody who left the
  /// line meanwhile gets less of the history.
  private func unusedName() -> String {
    let bytes = bytes(.json).count
    for number in 1..<Self.mostNames {
      let tried = number == 1 ? name : "\(name)-\(number)"
      let former = folder.byteCount(of: "\(tried).\(TranscriptFormat.json.rawValue)")
      if former ?? 0 <= bytes { return tried }
    }
    return "\(name)-\(Self.mostNames)"
  }
}
