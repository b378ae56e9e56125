internal import Captions
internal import EventLoop
internal import Glibc
internal import Journal
internal import Messages
internal import Remote
internal import StatusSchema

/// Transcripts that are kept to be searched, where the user wants them.
extension CaptionService {
  private static var unixMilliseconds: Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }

  /// Keeps what is read here for so many days; 0: nothing, and what was kept is deleted.
  ///
  /// - Returns: how many sessions were deleted.
  func keep(days: Int) async throws(CaptionProblem) -> Int {
    let former = keeping.days
    keeping.days = days
    defer { changed() }
    guard days == 0 else {
      if former == 0 { noteAllKept() }
      await pruneKept()
      return 0
    }
    await stopKeeping()
    keeping.forgetAll()
    do throws(JournalError) { return try await keeping.archive.removeAll() } catch {
      throw .kept("\(error)")
    }
  }

  /// What was kept.
  func kept(_ query: CaptionQuery) async -> [CaptionStatus] { await keeping.archive.speech(query) }

  /// What is there already.
  private func noteAllKept() {
    for key in desk.transcripts.keys { noteKept(key) }
    for session in hosted.joined.keys { noteKept(session) }
  }

  func noteKept(_ key: CaptionSessionKey) {
    guard keeping.days > 0 else { return }
    keeping.note(key)
    guard keeping.task == nil, !hasFinished else { return }
    keeping.task = Task { [weak self] in
      while await self?.waitsForKept() == true {}
    }
  }

  /// Writes what came in a while; false: there is nothing more to write for now.
  private func waitsForKept() async -> Bool {
    try? await Task.sleep(for: CaptionKeeping.pause)
    guard !hasFinished, !Task.isCancelled else { return false }
    await writeKept()
    await pruneKept()
    if keeping.isDirty, keeping.days > 0, !hasFinished { return true }
    keeping.task = nil
    return false
  }

  /// Writes all that there is, and no more.
  func stopKeeping() async {
    if let task = keeping.task {
      task.cancel()
      await task.value
      keeping.task = nil
    }
    if keeping.days > 0 { await writeKept() }
  }

  private func writeKept() async {
    let now = EventLoop.nowNanoseconds()
    let pages = keeping.pages(
      of: shelf, nowNanoseconds: now, unixMilliseconds: Self.unixMilliseconds)
    guard !pages.isEmpty else { return }
    let areWritten = await keeping.archive.keep(pages)
    keeping.take(pages, areWritten: areWritten, nowNanoseconds: EventLoop.nowNanoseconds())
    let problem = await keeping.archive.problem
    if problem != keeping.problem {
      keeping.problem = problem
      changed()
    }
  }

  /// What is too old goes, once an hour.
  func pruneKept() async {
    let now = EventLoop.nowNanoseconds()
    guard keeping.days > 0, now >= keeping.prunedNanoseconds else { return }
    keeping.prunedNanoseconds = now + CaptionKeeping.pruneNanoseconds
    await keeping.archive.prune(days: keeping.days, unixMilliseconds: Self.unixMilliseconds)
  }
}
