internal import Dispatch
internal import Habits
internal import Logging
internal import Store
internal import Synchronization

/// Keeps what becomes of something beyond this run.
///
/// A change is on the disk at once, the next a second later at the earliest: what changes all the time costs a write a
/// second, and a power cut a second of it. What could not be written is tried again until it is,
/// or until something else is to be kept.
actor Keeper<Value: Sendable, Kept: Equatable & Sendable> {
  /// When each write comes, as far as it is no matter of the disk; each pause ends early where its task is cancelled.
  struct Pace: Sendable {
    /// From one write to the next.
    var pause: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(1)) }
    /// From one that failed to the same again.
    var retryPause: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(10)) }
  }

  private let write: @Sendable (Kept) async throws(StoreError) -> Void
  private let convert: @Sendable (Value) -> Kept
  private let pace: Pace
  private let matter: KeepingProblems.Matter
  private let problems: KeepingProblems
  /// What is on the disk; nil: that is not known, as the last write failed.
  private var kept: Kept?
  private var task: Task<Void, Never>?
  private var notes: Task<Void, Never>?
  private var retry: Task<Void, Never>?
  private(set) var latest: Value?

  /// - Parameters:
  ///   - kept: that of the former run.
  ///   - problems: told what cannot be kept, and when it can.
  init(
    _ kept: Kept, of matter: KeepingProblems.Matter, problems: KeepingProblems,
    pace: Pace = Pace(), as convert: @escaping @Sendable (Value) -> Kept,
    write: @escaping @Sendable (Kept) async throws(StoreError) -> Void
  ) {
    self.kept = kept
    self.matter = matter
    self.problems = problems
    self.pace = pace
    self.convert = convert
    self.write = write
  }

  /// Keeps each value that comes, or those that came last.
  func follow(_ values: AsyncStream<Value>) {
    task = Task {
      for await value in values {
        await keep(value)
        await pace.pause()
      }
    }
  }

  /// Keeps what there is after each change, or after the last of several.
  func follow(_ changes: AsyncStream<Void>, of value: @escaping @Sendable () async -> Value) {
    task = Task {
      for await _ in changes {
        await keep(await value())
        await pace.pause()
      }
    }
  }

  /// The same of values whose last nobody else has at the end: each is noted at once, whatever the pause.
  func note(_ values: AsyncStream<Value>) {
    let (noted, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1))
    notes = Task {
      for await value in values {
        latest = value
        continuation.yield(value)
      }
    }
    follow(noted)
  }

  /// Keeps what there is at last, or what was noted, and ends.
  func stop(with value: Value? = nil) async {
    notes?.cancel()
    task?.cancel()
    await task?.value
    if let value = value ?? latest { await keep(value) }
    retry?.cancel()
  }

  /// Writes a value, now and, where that fails, again and again until the next one.
  private func keep(_ value: Value) async {
    retry?.cancel()
    // One write at a time: an earlier one is not to come to its end after this.
    await retry?.value
    retry = nil
    let value = convert(value)
    guard value != kept else { return }
    if await isSettled(value) { return }
    retry = Task {
      repeat { await pace.retryPause() } while await isToRepeat(value)
    }
  }

  /// Whether a value that is still to be kept was written in vain once more.
  private func isToRepeat(_ value: Kept) async -> Bool {
    if Task.isCancelled { return false }
    return await !isSettled(value)
  }

  /// Writes it; false: another try may go better.
  private func isSettled(_ value: Kept) async -> Bool {
    do throws(StoreError) {
      try await write(value)
      kept = value
      problems.note(matter, nil)
      return true
    } catch {
      // A write that failed halfway may have replaced what was there.
      kept = nil
      problems.note(matter, "\(error)")
      if case .notKept = error { return true }
      return false
    }
  }
}

/// What is kept as it is.
extension Keeper where Kept == Value {
  /// A keeper of what is written as it comes.
  init(
    _ kept: Value, of matter: KeepingProblems.Matter, problems: KeepingProblems,
    pace: Pace = Pace(), write: @escaping @Sendable (Value) async throws(StoreError) -> Void
  ) {
    self.init(
      kept, of: matter, problems: problems, pace: pace, as: { $0 }, write: write)
  }
}

/// What keeps the node's habits as they change: the sound, who is connected with what, who is called what.
struct Keepers {
  let mixes: Keeper<Mix, Mix>
  let ports: Keeper<PortMemory, PortMemory>
  let names: Keeper<NameMemory, NameMemory>
  let pages: PageKeeper
  let tokens: PageKeeper
  let lines: LineKeeper
}

/// What holds for this run only, as it cannot be written, and why; told when that begins, and when it is over.
final class KeepingProblems: Sendable {
  /// What a node keeps as it changes; the words go before "for this run only".
  enum Matter: String, CaseIterable {
    case mix = "gain, pan, mute, talk, inputs and buses hold"
    case ports = "JACK connections hold"
    case names = "the numbering of members of the same name holds"
    case page = "who is signed in at the page holds"
    case tokens = "who has a token for the page holds"
    case lines = "lines and keys hold"
    case trust = "the list of trusted and blocked nodes holds"

    /// The name of the event that it is not kept.
    fileprivate var event: EventName { self == .trust ? .trustNotKept : .notKept }
  }

  private let log: Logger
  private let problems = Mutex<[Matter: String]>([:])

  init(log: Logger) { self.log = log }

  /// Takes how keeping something went; nil: it is kept.
  ///
  /// Any thread.
  func note(_ matter: Matter, _ problem: String?) {
    let before = problems.withLock { problems in
      defer { problems[matter] = problem }
      return problems[matter]
    }
    if let problem, before == nil {
      log.event(matter.event, "\(matter.rawValue) for this run only: \(problem)")
    } else if problem == nil, before != nil {
      log.event(.kept, "\(matter.rawValue) across restarts again")
    }
  }

  /// All of it in words; nil: everything is kept.
  var words: String? {
    let problems = problems.withLock { $0 }
    let all = Matter.allCases.compactMap { matter in
      problems[matter].map { "\(matter.rawValue) for this run only: \($0)" }
    }
    return all.isEmpty ? nil : all.joined(separator: "; ")
  }
}

/// Writes the state on a thread of its own.
///
/// A disk may take its time, or never answer; Swift's pool has a thread a core, and whoever waits on one of them takes
/// it from all that keeps the node among the others. One after the other, in the order of the calls.
final class StateWriter: Sendable {
  private let queue = DispatchQueue(label: "state-writer")

  /// Runs what writes; suspends until it is done.
  func run<Value: Sendable, Failure: Error>(
    _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    let outcome: Result<Value, Failure> = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result(catching: body)) }
    }
    return try outcome.get()
  }
}
