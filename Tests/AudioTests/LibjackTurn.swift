import Glibc
import Testing

/// Lets one suite of a test process at a time use libjack, which serves one server per process.
///
/// Suites of several targets run side by side in one process; they meet at a lock on its program file.
struct LibjackTurn: SuiteTrait, TestScoping {
  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let file = unsafe open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
    try #require(file >= 0)
    // Closing lets the next one in.
    defer { close(file) }
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      try await Task.sleep(for: .milliseconds(20))
    }
    try await function()
  }
}

extension Trait where Self == LibjackTurn {
  /// One suite at a time.
  static var libjackTurn: LibjackTurn { LibjackTurn() }
}
