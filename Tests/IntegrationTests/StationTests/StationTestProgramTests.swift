import Glibc
import Remote
import StatusSchema
import Testing

@testable import TestRig

extension RealNodeTests {
  /// Tests by a station's user, on real nodes and JACK servers.
  @Suite struct StationTestProgramTests {
    private let pair: NodePair

    init() throws {
      pair = try NodePair(recordSeconds: 0, in: TemporaryDirectory(prefix: "comlink-test"))
    }

    /// What a node answers to something that takes its time.
    private func ask(_ node: NodeProcess, _ request: ControlRequest) throws -> ControlResponse {
      var client = try ControlClient(path: node.controlPath, timeout: .seconds(60))
      return try client.request(request)
    }

    private func refusal(_ node: NodeProcess, _ request: ControlRequest) throws -> String {
      guard case .error(let words) = try ask(node, request) else { return "" }
      return words
    }

    @Test func `the way to a peer and back is measured with its consent, and refused without`()
      throws
    {
      let (a, b) = (pair.a.node, pair.b.node)
      #expect(try refusal(a, .testLoop(peer: "B")).contains("comlink loopback on 'A'"))
      #expect(try refusal(a, .testSpeech(peer: "B")).contains("comlink loopback on 'A'"))
      #expect(try refusal(a, .testLoop(peer: "nobody")).contains("no peer named"))
      let id = try #require(try a.status().peers[0].id)
      for text in ["b", id, String(id.prefix(8))] {
        #expect(try refusal(a, .testLoop(peer: text)).hasPrefix("B does not loop our voice back"))
      }

      _ = try b.ask(.loopBack(peer: "A", minutes: 2))
      let consent = try #require(try b.status().node.loopBack)
      #expect(consent.peer == "A" && consent.secondsLeft > 60 && consent.secondsLeft <= 120)
      var answer = ControlResponse.ok
      // The members learn of it in a moment.
      try waitUntil("A to know of B's consent", within: 30) { () throws(RigError) in
        answer = (try? ask(a, .testLoop(peer: "B"))) ?? .ok
        if case .loopTest = answer { return true }
        return false
      }
      guard case .loopTest(let result) = answer else { return }
      #expect(result.sent == 8 && result.found >= 4)
      let trip = try #require(result.roundTripMilliseconds)
      let waits = [try a.status(), try b.status()].map { $0.peers[0].playoutDelayMilliseconds }
      // Two packets of 10 ms and the codec's look-ahead are there in any case;
      // the rest is waits, periods, and the machine's.
      #expect(trip > 25 && trip < 125 + waits.reduce(0, +) * 2, "\(result), \(waits)")
      #expect(try refusal(a, .loopBack(peer: "B", minutes: 1)).contains("would make a loop"))
      #expect(try refusal(b, .testLoop(peer: "A")).contains("comlink loopback on 'B'"))

      guard case .speechTest(let speech) = try ask(a, .testSpeech(peer: "B")) else {
        Issue.record("no figure of speech")
        return
      }
      #expect(speech.intelligibility > 0.5 && speech.delayMilliseconds > 25)

      _ = try b.ask(.loopBackOff)
      #expect(try b.status().node.loopBack == nil)
      try waitUntil("A to know that it is over", within: 30) { () throws(RigError) in
        (try? refusal(a, .testLoop(peer: "B")))?.contains("comlink loopback on") == true
      }
    }

    @Test func `a tone is in the mix as loud as told, and ends with the command that asked for it`()
      throws
    {
      let node = pair.a.node
      let command = try ChildProcess(
        Executables.path(of: "comlink"),
        ["test", "tone", "--level", "-12", "--seconds", "30", "--control", node.controlPath],
        environment: [:], outputPath: pair.directory.file("tone.log"))
      var level = -120.0
      try waitUntil("the tone", within: 20) { () throws(RigError) in
        level = try node.status().node.mixLevelDBFS
        return level > -20
      }
      // A sine's RMS is 3 dB below its peak, and in the middle each side has 3 dB less.
      #expect(abs(level + 18) < 2)
      #expect(try pair.b.node.status().peers[0].levelDBFS < -60)
      command.send(signal: SIGINT)
      try waitUntil("the end of the tone", within: 10) { () throws(RigError) in
        try node.status().node.mixLevelDBFS < -60
      }
    }

    @Test func `speech through the codec is judged without a peer`() throws {
      guard case .speechTest(let speech) = try ask(pair.a.node, .testSpeech(peer: nil)) else {
        Issue.record("no figure of speech")
        return
      }
      #expect(speech.peer == nil && speech.intelligibility > 0.98)
      #expect(speech.delayMilliseconds == 12.5 && speech.application == "lowdelay")
    }
  }
}
