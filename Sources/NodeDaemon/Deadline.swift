/// A moment after which nothing is waited for any more.
struct Deadline: Sendable {
  private let moment: ContinuousClock.Instant

  init(after duration: Duration) { moment = .now + duration }

  /// Does something and waits for its end, but no longer than until the deadline; then it goes on by itself.
  ///
  /// - Returns: whether it came to its end.
  func wait(for work: @escaping @Sendable () async -> Void) async -> Bool {
    let (outcomes, outcome) = AsyncStream.makeStream(of: Bool.self)
    Task {
      await work()
      outcome.yield(true)
    }
    let alarm = Task {
      try? await Task.sleep(until: moment, clock: .continuous)
      outcome.yield(false)
    }
    defer { alarm.cancel() }
    for await isDone in outcomes { return isDone }
    return false
  }
}
