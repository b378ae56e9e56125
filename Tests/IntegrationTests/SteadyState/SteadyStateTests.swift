import Remote
import StatusSchema
import TestKit
import Testing

@testable import TestRig

extension RealNodeTests {
  /// What a period costs once a talk is under way: no memory from the heap, one entry into the kernel.
  @Suite struct SteadyStateTests {
    private static let periodFrames = 64
    private static let seconds = 5.0
    /// Each codec frame that comes or goes wakes the loop; far fewer would not be a steady state.
    private static let leastWakes = 500
    /// Two causes at once, or a timer that fires while it is moved, cost a further entry.
    private static let mostEntersPerWake = 1.1
    /// One for the beat, one for what is to be decoded before the next, and some for what comes in between.
    ///
    /// Without it the bound above would be none: a second chain that fires makes an entry another wake-up.
    private static let mostWakesPerPeriod = 2.2
    /// strace holds the thread up at each call, so that what has come meanwhile is another wake-up.
    private static let mostTracedEntersPerPeriod = 3.0

    /// A crowd for a change; one alone in the night, too.
    private static let peerCounts = Seeds.areAll ? [1, 8] : [8]

    @Test(arguments: peerCounts) func `neither loop nor audio thread allocates`(peers: Int) throws {
      let directory = try TemporaryDirectory(prefix: "comlink-test")
      let counter = try MallocCounter(in: directory)
      let crowd = try Crowd(
        peers: peers, periodFrames: Self.periodFrames, environment: counter.environment,
        in: directory)
      defer { crowd.stop() }
      let before = try crowd.node.status()
      let start = monotonicNanoseconds()
      counter.openWindow()
      // No status in between: answering one is control, which may allocate.
      pause(seconds: Self.seconds)
      counter.closeWindow()
      let counted = counter.threads
      let after = try crowd.node.status()
      let periods = Self.periods(inSeconds: Double(monotonicNanoseconds() - start) / 1e9)
      let wakes = after.loop.wakes - before.loop.wakes
      #expect(wakes > Self.leastWakes)
      #expect(Double(wakes) < Self.mostWakesPerPeriod * periods)
      #expect(
        Double(after.loop.enters - before.loop.enters) < Self.mostEntersPerWake * Double(wakes))
      try expectTalk(from: before, to: after, peers: peers)
      for name in [NodeThreads.loopName, NodeThreads.jackName] {
        let threads = counted.filter { $0.name == name }
        #expect(threads.allSatisfy { $0.allocations == 0 && $0.frees == 0 }, "\(threads)")
      }

      // Those threads exist by those names, and in this process allocations are seen.
      _ = try NodeThreads(of: crowd.node.process.identifier)
      counter.openWindow()
      _ = try crowd.node.status()
      counter.closeWindow()
      #expect(counter.threads.contains { $0.allocations > 0 })
    }

    @Test func `a recording adds no allocation`() throws {
      let directory = try TemporaryDirectory(prefix: "comlink-test")
      let counter = try MallocCounter(in: directory)
      let crowd = try Crowd(
        peers: 8, periodFrames: Self.periodFrames, environment: counter.environment,
        in: directory)
      defer { crowd.stop() }
      var request = RecordingRequest(directory: directory.path)
      request.keepFreeBytes = 0
      _ = try crowd.node.ask(.recordStart(request))
      pause(seconds: 2)
      let before = try crowd.node.status()
      counter.openWindow()
      pause(seconds: Self.seconds)
      counter.closeWindow()
      let counted = counter.threads
      let after = try crowd.node.status()
      let recording = try #require(after.recording)
      #expect(recording.isRunning && recording.files == 10 && recording.droppedFrames == 0)
      #expect(recording.seconds - (before.recording?.seconds ?? 0) > 0.5 * Self.seconds)
      try expectTalk(from: before, to: after, peers: 8)
      for name in [NodeThreads.loopName, NodeThreads.jackName] {
        let threads = counted.filter { $0.name == name }
        #expect(threads.allSatisfy { $0.allocations == 0 && $0.frees == 0 }, "\(threads)")
      }
      #expect(counted.contains { $0.name == "comlink-record" && $0.allocations > 0 })
    }

    @Test(
      .enabled(if: SystemCallTrace.isPermitted, "strace is missing or may not trace here"),
      arguments: peerCounts)
    func `loop and callback ask the kernel for one thing each`(peers: Int) throws {
      let directory = try TemporaryDirectory(prefix: "comlink-test")
      let crowd = try Crowd(peers: peers, periodFrames: Self.periodFrames, in: directory)
      defer { crowd.stop() }
      let threads = try NodeThreads(of: crowd.node.process.identifier)

      let loop = try SystemCallTrace(ofThread: threads.loop, seconds: 2, in: directory)
      // Beside it, at a wake-up's end, how long the thread has run: for the blame of what comes too late.
      #expect(Set(loop.counts.keys) == ["io_uring_enter", "clock_gettime"])
      let enters = loop.counts["io_uring_enter"] ?? 0
      #expect(enters > 100)
      #expect(Double(enters) < Self.mostTracedEntersPerPeriod * Self.periods(inSeconds: 2))
      #expect(Double(loop.counts["clock_gettime"] ?? 0) < 1.1 * Double(enters))

      let audio = try SystemCallTrace(ofThread: threads.audio, seconds: 2, in: directory)
      #expect(Set(audio.counts.keys) == ["futex", "write"])
      // libjack waits for each cycle, unless it is late, and signals the clients behind this one.
      let cycles = audio.calls.count { $0.contains("FUTEX_WAIT") }
      #expect(cycles > 500)
      let writes = audio.calls.filter { $0.hasPrefix("write(") }
      #expect(writes.allSatisfy { $0.contains(", 8)") }, "each is the loop's wake-up")
      #expect(writes.count > 50)
      #expect(Double(writes.count) < 1.1 * Double(cycles))
    }

    private static func periods(inSeconds seconds: Double) -> Double {
      seconds * 48_000 / Double(periodFrames)
    }

    private func expectTalk(from before: Status, to after: Status, peers: Int) throws {
      try #require(after.peers.count == peers)
      for (earlier, later) in zip(before.peers, after.peers) {
        #expect(later.received - earlier.received > 100, "\(later.name) talks")
      }
      #expect(after.network.packetsSent - before.network.packetsSent > 100 * peers)
    }
  }
}

/// Nodes as they are deployed, judged by their conduct: what they send, and what they use.
///
/// One test at a time: a machine has room for eight JACK servers, and load would be measured too.
@Suite(.serialized) enum RealNodeTests {}
