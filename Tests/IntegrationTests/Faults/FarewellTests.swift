import Glibc
import StatusSchema
import Testing

@testable import TestRig

extension FaultTests {
  /// How nodes end, in order and not, and what the others notice of it.
  @Suite struct FarewellTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(prefix: "comlink-test") }

    private static func isConnected(toA node: NodeProcess) throws(RigError) -> Bool {
      try node.status().peers.contains { $0.name == "A" && $0.state == .connected }
    }

    @Test func `an interrupt ends a node without JACK and peers in order`() throws {
      var seconds: [Double] = []
      for _ in 0..<5 {
        let daemon = try Daemon("N", ["--listen", "127.0.0.1:0"], in: directory)
        try daemon.waitUntilReady()
        let start = monotonicNanoseconds()
        daemon.process.send(signal: SIGINT)
        #expect(try daemon.process.wait(within: 5) == 0)
        seconds.append(Double(monotonicNanoseconds() - start) / 1e9)
      }
      #expect(seconds.sorted()[2] < 1, "\(seconds)")
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func `a node ends within a second in the midst of a talk`(signal: Int32) throws {
      let talk = try OngoingTalk(in: directory)
      var process = talk.a.node.process
      var seconds: [Double] = []
      for round in 1...3 {
        let start = monotonicNanoseconds()
        process.send(signal: signal)
        #expect(try process.wait(within: 5) == 0)
        seconds.append(Double(monotonicNanoseconds() - start) / 1e9)
        if round < 3 { process = try talk.comesBack().process }
      }
      // The median, as a machine that stalls is no fault of the node's.
      #expect(seconds.sorted()[1] < 1 && seconds.allSatisfy { $0 < 2 }, "\(seconds)")
    }

    @Test func `a signal ends a talking node in order and its peer knows at once`() throws {
      let talk = try OngoingTalk(in: directory)
      let process = talk.a.node.process
      let start = monotonicNanoseconds()
      process.send(signal: SIGTERM)
      let code = try process.wait(within: 5)
      #expect(Double(monotonicNanoseconds() - start) / 1e9 < 2)
      #expect(code == 0)
      try waitUntil("B's notice of the goodbye", within: 2) { () throws(RigError) in
        try !Self.isConnected(toA: talk.b.node)
      }
      #expect(talk.b.node.process.output.contains("said goodbye"))
      // It must not come back from the dead either.
      pause(seconds: 1)
      #expect(try !Self.isConnected(toA: talk.b.node))
      #expect(!talk.b.node.process.output.contains("fell silent"))
    }

    @Test func `a node that is killed is silent at once and gone in some seconds`() throws {
      let talk = try OngoingTalk(in: directory)
      try talk.b.ear.start()
      try waitUntil("the last words", within: 20) { () throws(RigError) in
        talk.b.ear.recordedFrames > 24_000
      }
      let process = talk.a.node.process
      process.send(signal: SIGKILL)
      while process.isRunning { pause(seconds: 0.002) }
      let endFrame = talk.b.ear.recordedFrames
      let end = monotonicNanoseconds()
      try waitUntil("B to miss A", within: 10) { () throws(RigError) in
        try !Self.isConnected(toA: talk.b.node)
      }
      // 2.6 s are silence for a node; three times what that says is a machine that stalls.
      #expect(Double(monotonicNanoseconds() - end) / 1e9 < 8)
      try waitUntil("B to give A up", within: 10) { () throws(RigError) in
        let states = try talk.b.node.status().peers.map(\.state)
        return !states.contains(.connected) && !states.contains(.silent)
      }
      // Its connection tells at once; what is heard meanwhile and after is the matter.
      pause(seconds: 2)
      talk.b.ear.stop()
      let recording = talk.b.ear.recording()
      #expect(Sound.rootMeanSquare(recording[..<endFrame]) > 0.01)
      // What was on its way and 100 ms of concealment may still sound.
      let rest = recording[min(recording.count, endFrame + 24_000)...]
      #expect(rest.count > 48_000)
      #expect(Sound.rootMeanSquare(rest) < 0.01)
      #expect(rest.suffix(24_000).allSatisfy { $0 == 0 })
      #expect(talk.b.node.process.output.contains("fell silent"))
      let successor = try talk.comesBack()
      let hearing = try talk.hearing()
      #expect(hearing.isUndisturbed, "\(hearing)")
      #expect(successor.process.isRunning)
    }
  }
}
