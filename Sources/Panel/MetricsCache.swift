/// The figures as text, read at most once in a while, however many ask at the same time.
actor MetricsCache {
  private let freshness: Duration
  private let now: @Sendable () -> ContinuousClock.Instant
  private let read: @Sendable () async -> String?
  private var last: (text: String, time: ContinuousClock.Instant)?
  private var underWay: Task<String?, Never>?

  /// - Parameters:
  ///   - freshness: how old a text may be that is told again.
  ///   - now: the time; a test has its own.
  ///   - read: reads the figures; nil: there are none now.
  init(
    freshness: Duration, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    read: @escaping @Sendable () async -> String?
  ) {
    self.freshness = freshness
    self.now = now
    self.read = read
  }

  /// A text that is fresh; nil: there are no figures now.
  ///
  /// Whoever asks while one is being read waits for that one.
  func text() async -> String? {
    if let last, now() - last.time < freshness { return last.text }
    if let underWay { return await underWay.value }
    let task = Task { await read() }
    underWay = task
    let text = await task.value
    underWay = nil
    last = text.map { ($0, now()) }
    return text
  }
}
