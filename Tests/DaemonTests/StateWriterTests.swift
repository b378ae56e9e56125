import Cryptography
import Dispatch
import Habits
import Intercom
import JackSession
import Logging
import Store
import Testing

@testable import NodeDaemon

@Suite(.timeLimit(.minutes(1))) struct StateWriterTests {
  @Test func `a disk that does not answer keeps no thread of the pool`() async {
    let writer = StateWriter()
    let disk = DispatchSemaphore(value: 0)
    // More than any machine of ours has cores, and so the pool threads.
    let writes = (0..<256).map { number in
      Task {
        await writer.run {
          disk.wait()
          return number
        }
      }
    }
    // Each of these needs a thread of the pool.
    for number in 0..<256 { #expect(await Task { number }.value == number) }
    for _ in writes { disk.signal() }
    for (number, write) in writes.enumerated() { #expect(await write.value == number) }
  }

  @Test func `why something is not kept comes back`() async {
    await #expect(throws: StoreError.noPlace) {
      try await StateWriter().run { () throws(StoreError) in throw .noPlace }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `of connections that change within a pause the last are kept at the end`() async {
    let (memories, changes) = AsyncStream.makeStream(of: PortMemory.self)
    let (written, writes) = AsyncStream.makeStream(of: PortMemory.self)
    let (pauses, _) = AsyncStream.makeStream(of: Void.self)
    let keeper = Keeper(
      PortMemory(), of: .ports, problems: KeepingProblems(log: Logger(label: "state")),
      pace: .init(pause: { for await _ in pauses { return } })
    ) { writes.yield($0) }
    await keeper.note(memories)
    var kept = written.makeAsyncIterator()
    changes.yield(PortMemory(isCaptureCut: true))
    #expect(await kept.next() == PortMemory(isCaptureCut: true))
    changes.yield(PortMemory(isPlaybackCut: true))
    // Until it is noted: nothing else tells.
    while await keeper.latest != PortMemory(isPlaybackCut: true) { await Task.yield() }
    await keeper.stop()
    #expect(await kept.next() == PortMemory(isPlaybackCut: true))
  }
}
