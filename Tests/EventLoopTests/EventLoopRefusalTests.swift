import CRefusal
import Glibc
import Synchronization
import Testing

@testable import EventLoop

/// What the loop does where the kernel refuses what it has always taken.
@Suite(.timeLimit(.minutes(2))) struct EventLoopRefusalTests {
  /// From now on the calling thread cannot hand anything to the kernel without waiting for it,
  /// as with no kernel memory left.
  private static func refuseSubmissions() {
    let code = refusal_begin(refusal_io_uring_enter(), 2, 0, EAGAIN)
    #expect(code == 0)
  }

  @Test
  func `sends that the kernel does not take are dropped and counted, and the loop can be stopped`()
    async throws
  {
    let loop = try makeLoop()
    let endpoint = try UDPEndpoint(loop: loop, bindingTo: .loopback(port: 0))
    let far = try PlainSocket()
    let destination = far.address
    let excess = 76
    loop.setHandler(
      RecordingHandler { _ in
        Self.refuseSubmissions()
        if let packet = endpoint.makePacket({ fill(&$0, [1]) }) {
          for _ in 0..<1024 + excess { endpoint.send(packet, to: destination) }
        }
        return .max
      })
    try loop.start()
    #expect(await eventually { loop.statistics.sendsFull >= excess })
    loop.stop()
    #expect(loop.statistics.sendsFull == excess)
    // Three tries in the wake-up of the sends, and three each time the loop looks again, a millisecond later.
    #expect(loop.statistics.earlySubmits < 100_000)
  }

  @Test
  func `a kernel that refuses the loop for good ends the process with words`() async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let loop = try makeLoop()
      loop.setHandler(
        RecordingHandler { _ in
          _ = refusal_begin(refusal_io_uring_enter(), Int32(REFUSAL_ANY), 0, EPERM)
          return .max
        })
      try loop.start()
      try await Task.sleep(for: .seconds(20))
    }
    let words = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(words.contains("the kernel refused io_uring_enter: Operation not permitted"))
    #expect(words.contains("Restart comlinkd"))
  }
}
