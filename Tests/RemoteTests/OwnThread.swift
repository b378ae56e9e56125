import Foundation
import Testing

/// Runs each test of a suite on threads of its own.
///
/// These tests wait in system calls. On Swift's pool, which has as many threads as the machine has
/// cores, a few of them would keep the very handlers from running that they wait for.
struct OwnThread: SuiteTrait, TestTrait, TestScoping {
  private final class Executor: TaskExecutor {
    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      let executor = unsafe asUnownedTaskExecutor()
      Thread.detachNewThread { unsafe job.runSynchronously(on: executor) }
    }
  }

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(Executor()) { try await function() }
  }
}

extension Trait where Self == OwnThread {
  /// Runs each test of the suite on threads of its own.
  static var ownThread: Self { OwnThread() }
}
