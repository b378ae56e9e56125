import Foundation
import System
import Testing

@testable import NodeDaemon

/// The thread that a model looks on.
@Suite(.timeLimit(.minutes(1))) struct LookThreadTests {
  private static let ages = 1 << 40

  /// The name of the thread that runs this.
  private static var threadName: String? {
    guard let comm = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8) else {
      return nil
    }
    return String(comm.dropLast())
  }

  @Test func `a task that prefers it runs there, before a pause and after it`() async throws {
    let thread = try LookThread()
    let names = await Task(executorPreference: thread) {
      let before = Self.threadName
      await thread.pause(milliseconds: 1)
      return [before, Self.threadName]
    }.value
    #expect(names == ["comlink-model", "comlink-model"])
    thread.end()
  }

  @Test func `a pause lasts its time, or until its task is cancelled or the thread ends`()
    async throws
  {
    let thread = try LookThread()
    let begun = monotonicNanoseconds()
    await Task(executorPreference: thread) { await thread.pause(milliseconds: 20) }.value
    #expect(monotonicNanoseconds() - begun >= 20_000_000)
    let cancelled = Task(executorPreference: thread) { await thread.pause(milliseconds: Self.ages) }
    cancelled.cancel()
    await cancelled.value
    let ended = Task(executorPreference: thread) {
      await thread.pause(milliseconds: Self.ages)
      return Self.threadName
    }
    thread.end()
    #expect(await ended.value != "comlink-model")
    await Task(executorPreference: thread) { await thread.pause(milliseconds: Self.ages) }.value
  }
}
