/// Wakes an actor at its next deadline: one at a time, the one that was set last.
///
/// Waits in a task of Swift's ordinary pool, and not on a loop. A value of the actor's own, used by nobody else.
public struct Alarm: Sendable {
  private let pause: @Sendable (Duration) async throws -> Void
  private var waiting: (deadlineNanoseconds: Int64, task: Task<Void, Never>)?

  /// - Parameter pause: waits for so long; throws where its task was cancelled.
  public init(
    pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.pause = pause
  }

  /// Rings at this deadline and no other; never for `Int64.max`, at once for any that has passed, `Int64.min` too.
  ///
  /// - Parameters:
  ///   - now: by the clock that the deadline is of.
  ///   - ring: begins with ``rang()``.
  public mutating func set(
    toNanoseconds deadline: Int64, nowNanoseconds now: Int64,
    ring: @escaping @Sendable () async -> Void
  ) {
    guard deadline != waiting?.deadlineNanoseconds else { return }
    cancel()
    guard deadline < .max else { return }
    // In 128 bits: whoever waits for nothing says `Int64.min`.
    let wait = max(.zero, Duration.nanoseconds(deadline) - .nanoseconds(now))
    let task = Task { [pause] in
      guard (try? await pause(wait)) != nil else { return }
      await ring()
    }
    waiting = (deadline, task)
  }

  /// It rang: the same deadline may be set again.
  public mutating func rang() { waiting = nil }

  /// Does not ring any more.
  public mutating func cancel() {
    waiting?.task.cancel()
    waiting = nil
  }
}
