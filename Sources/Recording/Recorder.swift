public import Audio
internal import Glibc
internal import Synchronization

/// Runs a ``Take`` on a thread of its own, at ordinary priority, until it is told to end or something forces it to.
///
/// All calls from any thread; none waits for the disk but ``init(_:labels:deck:ended:)``.
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

  private let deck: TapeDeck
  private let progress: Mutex<Progress>
  private let isEndAsked = Atomic<Bool>(false)
  private let thread = Mutex<BlockingThread?>(nil)

  /// Makes folder and files, and begins.
  ///
  /// - Parameter ended: called once, on the recorder's thread, after the files are complete.
  /// - Throws: why it cannot begin.
  public init(
    _ settings: TakeSettings, labels: TakeLabels, deck: TapeDeck,
    ended: @escaping @Sendable (RecordingReport) -> Void
  ) throws(RecordingError) {
    self.deck = deck
    let take = try Take(settings, labels: labels, deck: deck)
    progress = Mutex(Progress(report: RecordingReport(path: take.path, settings: settings)))
    let running = Mutex<Take?>(take)
    do throws(AudioError) {
      let thread = try BlockingThread(name: "comlink-record") { [weak self] thread in
        guard let take = running.withLock({ $0.take() }) else { return }
        self?.run(take, on: thread, ended)
      }
      self.thread.withLock { $0 = thread }
      try thread.start()
    } catch {
      throw .audio(error)
    }
  }

  deinit {
    // The thread is over, or on its way: it holds the recorder while it works.
    _ = thread.withLock { $0 }?.stop(withinMilliseconds: 0)
  }

  /// How it goes now.
  public var report: RecordingReport {
    let lostFrames = deck.lostFrames
    let now = Self.nowNanoseconds()
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

  private func run(
    _ take: Take, on thread: BlockingThread, _ ended: (RecordingReport) -> Void
  ) {
    var phase = RecordingReport.Phase.running
    do throws(RecordingError) {
      while !isEndAsked.load(ordering: .acquiring) {
        try write { () throws(RecordingError) in try take.advance() }
        note(take)
        thread.sleep(milliseconds: Self.pauseMilliseconds)
      }
      try write { () throws(RecordingError) in try take.advance() }
      phase = .ended
    } catch {
      phase = .failed(error)
    }
    do throws(RecordingError) {
      try write { () throws(RecordingError) in try take.finish() }
    } catch {
      if phase == .ended { phase = .failed(error) }
    }
    note(take)
    progress.withLock { progress in
      progress.report.phase = phase
      progress.isOver = true
    }
    ended(report)
  }

  /// Does something that the disk may hold up.
  private func write(
    _ body: () throws(RecordingError) -> Void
  ) throws(RecordingError) {
    progress.withLock { $0.busySinceNanoseconds = Self.nowNanoseconds() }
    defer { progress.withLock { $0.busySinceNanoseconds = nil } }
    try body()
  }

  private func note(_ take: Take) {
    let (seconds, bytes) = (Double(take.frameCount) / Double(deck.sampleRate), take.byteCount)
    let files = take.fileCount
    progress.withLock { progress in
      progress.report.seconds = seconds
      progress.report.byteCount = bytes
      progress.report.fileCount = files
    }
  }

  private static func nowNanoseconds() -> Int64 {
    var now = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }
}
