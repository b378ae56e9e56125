public import Audio
internal import Synchronization
internal import System

/// Runs a ``Take`` on a thread of its own, at ordinary priority, until it is told to end or something forces it to.
///
/// All that touches the disk is done there, the making of the folder, too: calls come from any thread, and none waits.
public final class Recorder: Sendable {
  private static let pauseMilliseconds = 100
  /// A disk that takes longer is spoken of.
  private static let stallNanoseconds: Int64 = 2_000_000_000

  private struct Progress {
    var report: RecordingReport
    /// When the thread last went on to write, while it does.
    var busySinceNanoseconds: Int64?
    var isOver = false
  }

  /// What was asked for.
  public let settings: TakeSettings
  private let labels: TakeLabels
  private let deck: TapeDeck
  private let tell: @Sendable (RecorderEvent) -> Void
  private let progress: Mutex<Progress>
  private let isEndAsked = Atomic<Bool>(false)
  private let thread = Mutex<BlockingThread?>(nil)

  /// Begins to make folder and files; ``report`` tells when that is done, or why it cannot be.
  ///
  /// - Parameter tell: called on the recorder's thread; once with the end.
  /// - Throws: where there is no thread to be had.
  public init(
    _ settings: TakeSettings, labels: TakeLabels, deck: TapeDeck,
    tell: @escaping @Sendable (RecorderEvent) -> Void
  ) throws(RecordingError) {
    (self.settings, self.labels, self.deck, self.tell) = (settings, labels, deck, tell)
    progress = Mutex(
      Progress(report: RecordingReport(path: settings.directory, settings: settings)))
    do throws(SystemError) {
      let thread = try BlockingThread(name: "comlink-record") { [weak self] thread in
        self?.run(on: thread)
      }
      self.thread.withLock { $0 = thread }
      try thread.start()
    } catch {
      throw .audio(.system(error))
    }
  }

  deinit {
    // The thread is over, or on its way: it holds the recorder while it works.
    _ = thread.withLock { $0 }?.stop(withinMilliseconds: 0)
  }

  /// How it goes now.
  public var report: RecordingReport {
    let lostFrames = deck.lostFrames
    let now = monotonicNanoseconds()
    return progress.withLock { progress in
      var report = progress.report
      report.lostFrames = lostFrames
      if let since = progress.busySinceNanoseconds, now - since > Self.stallNanoseconds {
        report.stalledSeconds = Double(now - since) / 1e9
      }
      return report
    }
  }

  /// Whether the files are complete, or given up.
  public var isOver: Bool { progress.withLock { $0.isOver } }

  /// Asks it to complete the files.
  public func end() {
    isEndAsked.store(true, ordering: .releasing)
  }

  private func run(on thread: BlockingThread) {
    do throws(RecordingError) {
      let take = try begin()
      end(phase(after: take, on: thread), take)
    } catch {
      end(.failed(error), nil)
    }
  }

  /// Makes the files; nothing is left of them where the end was asked for meanwhile.
  private func begin() throws(RecordingError) -> Take {
    let take = try write { () throws(RecordingError) in
      try Take(settings, labels: labels, deck: deck)
    }
    guard !isEndAsked.load(ordering: .acquiring) else {
      take.discard()
      throw .noAnswer(path: settings.directory)
    }
    note(take)
    progress.withLock { progress in
      progress.report.phase = .running
      progress.report.hasBegun = true
    }
    return take
  }

  /// Writes until the end, and the end; how that came.
  private func phase(after take: Take, on thread: BlockingThread) -> RecordingReport.Phase {
    var phase = RecordingReport.Phase.ended
    do throws(RecordingError) {
      while !isEndAsked.load(ordering: .acquiring) {
        try write { () throws(RecordingError) in try take.advance() }
        note(take)
        thread.sleep(milliseconds: Self.pauseMilliseconds)
      }
      try write { () throws(RecordingError) in try take.advance() }
    } catch {
      phase = .failed(error)
    }
    do throws(RecordingError) {
      try write { () throws(RecordingError) in try take.finish() }
    } catch {
      if phase == .ended { phase = .failed(error) }
    }
    return phase
  }

  private func end(_ phase: RecordingReport.Phase, _ take: Take?) {
    if let take { note(take) }
    progress.withLock { progress in
      progress.report.phase = phase
      progress.isOver = true
    }
    tell(.ended(report))
  }

  /// Does something that the disk may hold up.
  private func write<Result>(
    _ body: () throws(RecordingError) -> Result
  ) throws(RecordingError) -> Result {
    progress.withLock { $0.busySinceNanoseconds = monotonicNanoseconds() }
    defer { progress.withLock { $0.busySinceNanoseconds = nil } }
    return try body()
  }

  private func note(_ take: Take) {
    let (seconds, bytes, files) = (take.seconds, take.byteCount, take.fileCount)
    let (path, failures, secondsLeft) = (take.path, take.failures, take.secondsLeft)
    let known = progress.withLock { progress in
      defer {
        progress.report.path = path
        progress.report.seconds = seconds
        progress.report.secondsLeft = secondsLeft
        progress.report.byteCount = bytes
        progress.report.fileCount = files
        progress.report.failures = failures
      }
      return progress.report.failures.count
    }
    for failure in failures[known...] { tell(.failed(failure)) }
  }
}

/// What becomes of a recording that somebody may have to know of.
public enum RecorderEvent: Sendable {
  /// One file ended, or was never made, while the others go on.
  case failed(TrackFailure)
  /// It is over: the files are complete, or given up, or it could not begin.
  case ended(RecordingReport)
}
