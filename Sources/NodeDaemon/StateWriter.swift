internal import Dispatch

/// Writes the state on a thread of its own.
///
/// A disk may take its time, or never answer; Swift's pool has a thread a core, and whoever waits on one of them takes it from all that
/// keeps the node among the others. One after the other, in the order of the calls.
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
