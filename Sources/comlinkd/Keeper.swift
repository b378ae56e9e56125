internal import Logging
internal import Store

/// Keeps what becomes of something beyond this run.
///
/// A change is on the disk at once, the next a second later at the earliest: what changes all the time costs a write a second, and a
/// power cut a second of it.
actor Keeper<Value: Sendable, Kept: Equatable & Sendable> {
  private let write: @Sendable (Kept) async throws(StoreError) -> Void
  private let convert: @Sendable (Value) -> Kept
  private let pause: @Sendable () async -> Void
  private let log: Logger
  private let failure: String
  private var kept: Kept
  private var isFailureTold = false
  private var task: Task<Void, Never>?
  private var notes: Task<Void, Never>?
  private(set) var latest: Value?

  /// - Parameters:
  ///   - kept: that of the former run.
  ///   - failure: what it means that it cannot be kept.
  ///   - pause: from one write to the next; ends early where its task is cancelled.
  init(
    _ kept: Kept, failure: String, log: Logger,
    pause: @escaping @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(1)) },
    as convert: @escaping @Sendable (Value) -> Kept,
    write: @escaping @Sendable (Kept) async throws(StoreError) -> Void
  ) {
    self.kept = kept
    self.failure = failure
    self.log = log
    self.pause = pause
    self.convert = convert
    self.write = write
  }

  /// Keeps each value that comes, or those that came last.
  func follow(_ values: AsyncStream<Value>) {
    task = Task {
      for await value in values {
        await keep(value)
        await pause()
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
  }

  private func keep(_ value: Value) async {
    let value = convert(value)
    guard value != kept else { return }
    do throws(StoreError) {
      try await write(value)
      kept = value
      isFailureTold = false
    } catch {
      if !isFailureTold {
        log.event("not-kept", .error, "\(failure) for this run only: \(error)")
      }
      isFailureTold = true
    }
  }
}
