// A static build has no Testing; it builds no tests either.
#if canImport(Testing)
  import Glibc
  public import Testing

  /// Lets one suite of a test process at a time use libjack, which serves one server per process.
  ///
  /// Suites of several targets run side by side in one process; they meet at a lock on its program file.
  public struct LibjackTurn: SuiteTrait, TestScoping {
    /// There was no lock to wait for.
    struct NoLock: Error {}

    /// Waits for the turn, runs the suite and gives the turn back.
    public func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      let file = unsafe open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { throw NoLock() }
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
    public static var libjackTurn: LibjackTurn { LibjackTurn() }
  }
#endif
