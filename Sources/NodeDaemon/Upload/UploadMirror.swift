internal import EventLoop
internal import Glibc
internal import Journal
internal import Logging
internal import Messages
internal import Recording
internal import Remote
internal import StatusSchema
internal import Store
internal import WebService

/// Mirrors voice messages of chosen conversations to a service: one at a time, in their order, each once.
///
/// What is done is kept before each call. A message that the service will never take is told and passed over; for all
/// else the mirror waits and tries again.
actor UploadMirror {
  /// What outlives this run.
  struct Record: Codable, Hashable, Sendable {
    /// The service that the rest is of.
    var service: String
    /// All messages up to this number are done with.
    var done: Int64
    /// The one that is under way.
    var task: MirrorTask?
  }

  /// Where it reads and keeps.
  struct Surroundings: Sendable {
    /// The number of the newest message.
    var newest: @Sendable () async -> Int64
    /// The next voice message after a number, of the conversations that are mirrored.
    var next: @Sendable (Int64) async throws(JournalError) -> Look
    /// Its sound.
    var sound: @Sendable (Int64) async throws(JournalError) -> Sound
    var kept: Record?
    var keep: @Sendable (Record) async throws(StoreError) -> Void
    var ask: @Sendable (WebRequest) async throws(WebFault) -> WebAnswer
    /// Waits that many seconds, or until something changed.
    var pause: @Sendable (Double) async -> Void
  }

  /// What there is to hear in a voice message.
  enum Sound: Hashable, Sendable {
    /// Nothing: it is no longer here, or damaged.
    case missing
    /// It came from a service, by whatever way.
    case mirrored
    /// A file for the service, which says that it was there.
    case file([UInt8])

    /// As it is at this node; nil: it is not.
    init(_ file: [UInt8]?) {
      guard let file, let marked = ClipMark.mirrored(file) else {
        self = .missing
        return
      }
      self = ClipMark.isMirrored(file) ? .mirrored : .file(marked)
    }
  }

  /// A voice message that is to be mirrored.
  struct Candidate: Hashable, Sendable {
    var number: Int64
    var remote: String
    var seconds: Double
  }

  /// What there is to be mirrored.
  struct Look: Hashable, Sendable {
    /// The next one; nil: there is none.
    var candidate: Candidate?
    /// A conversation that is not known, as the user named it; nil: all are.
    var unknown: String?
  }

  /// From one try to the next: doubled from the first to the last.
  private static let pauses = (first: 2.0, last: 600.0)
  /// Where nothing is to be done, until somebody says so.
  private static let idle = 3600.0

  private let place: WebPlace
  private let token: String
  private let surroundings: Surroundings
  private let log: Logger
  private var changed: @Sendable () -> Void = {}
  private var record: Record
  private(set) var status = MirrorStatus()
  private var failures = 0
  /// The journal could not be read the last time.
  private var isUnread = false
  /// Whether the record is on the disk as it is.
  private var isKept = true

  init(
    to place: WebPlace, token: String, _ surroundings: Surroundings, log: Logger
  ) {
    (self.place, self.token, self.surroundings) = (place, token, surroundings)
    self.log = log
    // What another service was told says nothing of this one.
    if let kept = surroundings.kept, kept.service == place.text {
      record = kept
    } else {
      record = Record(service: place.text, done: -1)
    }
  }

  /// Mirrors until its task is cancelled.
  ///
  /// - Parameter changed: called when something changed that people see; must not block.
  func run(changed: @escaping @Sendable () -> Void) async {
    self.changed = changed
    // What was there before the mirror is not for the service.
    if record.done < 0 {
      record.done = await surroundings.newest()
      _ = await keep()
    }
    while !Task.isCancelled { await surroundings.pause(await step()) }
  }

  /// Does what can be done now.
  ///
  /// - Returns: seconds until the next look, if nothing changes before.
  func step() async -> Double {
    do throws(JournalError) {
      guard let task = try await due() else { return Self.idle }
      guard let clip = try await clip(of: task) else { return 0 }
      return await step(task, clip)
    } catch {
      // What is there is not known: nothing is done with, and nothing passed over.
      isUnread = true
      return later("voice messages are not mirrored: \(error)")
    }
  }

  private func step(_ due: MirrorTask, _ clip: MirrorTask.Clip) async -> Double {
    var task = due
    let request = task.request(clip, at: place, token: token)
    // Nothing is asked that would be asked again after a kill.
    guard await keep(task) else { return Self.pauses.last }
    let outcome: MirrorTask.Outcome
    if let request {
      outcome = task.take(await answer(request))
    } else {
      outcome = task.refuseAddress()
    }
    return await take(outcome, task)
  }

  /// What is to be mirrored; nil: nothing, and the message is done with.
  private func clip(of task: MirrorTask) async throws(JournalError) -> MirrorTask.Clip? {
    if let candidate = try await surroundings.next(task.number - 1).candidate,
      candidate.number == task.number
    {
      let sound = try await surroundings.sound(task.number)
      hasRead()
      switch sound {
      case .file(let file): return MirrorTask.Clip(file: file, seconds: candidate.seconds)
      case .mirrored:
        // Else two services, or two nodes at one, would send it round for ever.
        await passOver(task)
        return nil
      case .missing: break
      }
    }
    await end(task, "it is no longer here, or damaged")
    return nil
  }

  private func hasRead() {
    if isUnread { (isUnread, failures, status.problem) = (false, 0, nil) }
  }

  private func answer(_ request: WebRequest) async -> Result<WebAnswer, WebFault> {
    do throws(WebFault) {
      return .success(try await surroundings.ask(request))
    } catch {
      return .failure(error)
    }
  }

  /// The message that is under way, or the next one.
  private func due() async throws(JournalError) -> MirrorTask? {
    if let task = record.task { return task }
    let newest = await surroundings.newest()
    let look = try await surroundings.next(record.done)
    hasRead()
    if let unknown = look.unknown {
      tell("upload-from: nobody and nothing is known as \(unknown)")
    } else if let candidate = look.candidate {
      return MirrorTask(candidate.number, of: candidate.remote)
    } else {
      // Nothing of that has to be looked at again.
      record.done = max(record.done, newest)
    }
    return nil
  }

  private func take(_ outcome: MirrorTask.Outcome, _ task: MirrorTask) async -> Double {
    switch outcome {
    case .next: return await keep(task) ? 0 : Self.pauses.last
    case .sent:
      status.sent += 1
      await end(task, nil)
      return 0
    case .refused(let words):
      await end(task, words)
      return 0
    case .later(let words, let isSlow):
      _ = await keep(task)
      let pause = later("voice message \(task.number) is not mirrored yet: \(words)")
      return isSlow ? Self.pauses.last : pause
    }
  }

  /// Tells why nothing could be done.
  ///
  /// - Returns: seconds until the next try.
  private func later(_ words: String) -> Double {
    tell(words)
    failures += 1
    return min(Self.pauses.first * Double(1 << min(failures - 1, 16)), Self.pauses.last)
  }

  /// Nobody need know of it.
  private func passOver(_ task: MirrorTask) async {
    failures = 0
    (record.done, record.task) = (task.number, nil)
    _ = await keep()
  }

  /// The message is done with.
  ///
  /// - Parameter words: why it is not there; nil: it is.
  private func end(_ task: MirrorTask, _ words: String?) async {
    await passOver(task)
    if let words {
      status.refused += 1
      tell("voice message \(task.number) is not mirrored: \(words)")
    } else {
      status.problem = nil
      log.event(.mirrored, "mirrored", ["message": "\(task.number)"])
      changed()
    }
  }

  private func tell(_ words: String) {
    if status.problem != words { log.event(.mirrorFailed, "\(words)") }
    status.problem = words
    changed()
  }

  private func keep(_ task: MirrorTask) async -> Bool {
    guard record.task != task || !isKept else { return true }
    record.task = task
    return await keep()
  }

  /// Whether it is kept; where it cannot be, why is told.
  private func keep() async -> Bool {
    do throws(StoreError) {
      try await surroundings.keep(record)
      isKept = true
    } catch {
      isKept = false
      tell("\(error)")
    }
    return isKept
  }
}
