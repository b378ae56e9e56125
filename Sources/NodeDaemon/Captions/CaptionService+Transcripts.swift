internal import Captions
internal import EventLoop
internal import Logging

/// Transcripts as files.
extension CaptionService {
  func noteTranscript(of key: CaptionSessionKey) {
    noteKept(key)
    guard transcripts != nil else { return }
    transcripts?.note(key, nowNanoseconds: EventLoop.nowNanoseconds())
    guard transcripts?.task == nil, !hasFinished else { return }
    transcripts?.task = Task { [weak self] in
      while await self?.waitsForTranscripts() == true {}
    }
  }

  /// Writes what came in a while; false: there is nothing more to write for now.
  private func waitsForTranscripts() async -> Bool {
    try? await Task.sleep(for: TranscriptKeeper.pause)
    guard !hasFinished, !Task.isCancelled else { return false }
    await writeTranscripts(isLast: false)
    if transcripts?.isDirty == true, !hasFinished { return true }
    transcripts?.task = nil
    return false
  }

  /// Writes all that there is, without waiting for what may still come.
  func writeAllTranscripts() async {
    if let task = transcripts?.task {
      task.cancel()
      await task.value
      transcripts?.task = nil
    }
    // A file that somebody removed is written anew.
    for _ in 0..<2 { await writeTranscripts(isLast: true) }
  }

  private func writeTranscripts(isLast: Bool) async {
    guard var keeper = transcripts else { return }
    let jobs = keeper.jobs(
      of: shelf, nowNanoseconds: EventLoop.nowNanoseconds(), isLast: isLast)
    transcripts = keeper
    guard !jobs.isEmpty else { return }
    let outcomes = await keeper.writer.run { jobs.map { (job: $0, outcome: $0.run()) } }
    let former = transcripts?.problem
    let failure = transcripts?.take(outcomes, nowNanoseconds: EventLoop.nowNanoseconds())
    if let failure { parts.log.event(.transcriptsFailed, "\(failure)") }
    if transcripts?.problem != former { changed() }
  }
}
