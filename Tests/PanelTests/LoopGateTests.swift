import NIOCore
import NIOPosix
import ServiceLoop
import Testing

/// Tasks on one of SwiftNIO's event loops, and after its end.
@Suite(.timeLimit(.minutes(1))) struct LoopGateTests {
  @Test func `a task that prefers a gate runs on its loop, and elsewhere once that is shut`()
    async throws
  {
    let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let gate = LoopGate(threads.next())
    let (stream, told) = AsyncStream.makeStream(of: Int.self)
    let task = Task(executorPreference: gate) {
      var places: [Bool] = []
      for await _ in stream { places.append(gate.isOnLoop) }
      return places
    }
    told.yield(1)
    await Task(executorPreference: gate) { #expect(gate.isOnLoop) }.value
    #expect(gate.shut())
    told.yield(2)
    told.finish()
    #expect(await task.value == [true, false])
    #expect(!gate.isOnLoop)
    try await threads.shutdownGracefully()
  }
}
