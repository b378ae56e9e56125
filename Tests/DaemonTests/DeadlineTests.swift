import Testing

@testable import NodeDaemon

@Suite(.timeLimit(.minutes(1))) struct DeadlineTests {
  @Test func `what comes to its end in time is waited for`() async {
    #expect(await Deadline(after: .seconds(50)).wait {})
  }

  @Test func `what takes too long is waited for no more, and goes on`() async {
    let (answers, answer) = AsyncStream.makeStream(of: Void.self)
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    let isDone = await Deadline(after: .milliseconds(1)).wait {
      for await _ in answers { break }
      end.yield(Task.isCancelled)
    }
    #expect(!isDone)
    answer.yield()
    for await wasCancelled in ends {
      #expect(!wasCancelled)
      break
    }
  }
}
