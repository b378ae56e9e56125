import Cryptography
import Mesh
import Synchronization
import Testing

@testable import Intercom

/// What is remembered goes to the disk, and what if that fails.
extension MembershipTests {
  @Test func `a block is answered once it is kept, or with why it is not`() async throws {
    let (written, writes) = AsyncStream.makeStream(of: MeshMemory.self)
    let (answers, answer) = AsyncStream.makeStream(of: String?.self)
    let membership = try membership { memory in
      writes.yield(memory)
      for await answer in answers { return answer }
      return "no answer"
    }
    await membership.start()
    #expect(await membership.keepingProblem() == nil, "nothing is to be kept yet")
    let isAnswered = Mutex(false)
    try await membership.block(try Self.node(9).text)
    async let problem = {
      let problem = await membership.keepingProblem()
      isAnswered.withLock { $0 = true }
      return problem
    }()
    var writing = written.makeAsyncIterator()
    #expect(await writing.next()?.blocked == [try Self.node(9)])
    for _ in 0..<100 { await Task.yield() }
    #expect(!isAnswered.withLock { $0 }, "answered before the disk has it")
    answer.yield(nil)
    #expect(await problem == nil)

    try await membership.block(try Self.node(8).text)
    answer.yield("the disk is full")
    #expect(await membership.keepingProblem() == "the disk is full")
    // Nothing changed since, and it is still not kept.
    #expect(await membership.keepingProblem() == "the disk is full")
    try await membership.forget(try Self.node(8).text)
    answer.yield(nil)
    #expect(await membership.keepingProblem() == nil)
  }

  @Test(.timeLimit(.minutes(1)))
  func `what could not be kept is written again until it is`() async throws {
    let (written, writes) = AsyncStream.makeStream(of: MeshMemory.self)
    let tries = Mutex(0)
    let membership = try membership(
      store: { memory in
        writes.yield(memory)
        return tries.withLock { tries in
          tries += 1
          return tries < 3 ? "the disk is full" : nil
        }
      },
      wait: { duration in
        // Another try comes at once, and nothing else ever.
        if duration != Membership.keepingPause { try await Task.sleep(for: .seconds(10_000)) }
      })
    await membership.start()
    try await membership.block(try Self.node(9).text)
    var writing = written.makeAsyncIterator()
    for _ in 1...3 { #expect(await writing.next()?.blocked == [try Self.node(9)]) }
    while await membership.keepingProblem() != nil { await Task.yield() }
    #expect(tries.withLock { $0 } == 3)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a disk that is full gets a last chance at the end`() async throws {
    let (written, writes) = AsyncStream.makeStream(of: MeshMemory.self)
    let membership = try membership { memory in
      writes.yield(memory)
      return "the disk is full"
    }
    await membership.start()
    try await membership.block(try Self.node(9).text)
    #expect(await membership.keepingProblem() == "the disk is full")
    await membership.leave()
    await membership.finishKeeping()
    writes.finish()
    var count = 0
    for await memory in written {
      #expect(memory.blocked == [try Self.node(9)])
      count += 1
    }
    #expect(count == 2)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a disk that does not answer holds no goodbye up`() async throws {
    let (writing, begun) = AsyncStream.makeStream(of: Void.self)
    let (answers, answer) = AsyncStream.makeStream(of: String?.self)
    let membership = try membership { _ in
      begun.yield()
      for await answer in answers { return answer }
      return nil
    }
    await membership.start()
    try await join(membership, 2, connection)
    try await membership.block(try Self.node(9).text)
    for await _ in writing { break }
    await membership.leave()
    #expect(transport.words.suffix(2) == ["close 7", "end lane of 2"])
    answer.finish()
    await membership.finishKeeping()
  }
}
