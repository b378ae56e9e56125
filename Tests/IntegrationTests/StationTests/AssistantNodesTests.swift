import Remote
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import TestRig

extension RealNodeTests {
  /// The assistant on a line between real nodes on JACK servers, with services that follow a script.
  @Suite struct AssistantNodesTests {
    @Test func `on a line the other node hears it, by its name, and alone its caller does`() throws
    {
      let (model, service) = (try ModelServer(), try FakeSpeech())
      service.text.withLock { $0 = "Where are you?" }
      service.seconds.withLock { $0 = 4 }
      model.answers = ["On line all."]
      let directory = try TemporaryDirectory(prefix: "comlink-assistant")
      let pair = try NodePair(
        argumentsOfA: [
          "--assistant-url", "http://127.0.0.1:\(model.port)/v1", "--assistant-name", "Ada",
          "--speech-asr", "tcp://127.0.0.1:\(service.port)",
          "--speech-tts", "tcp://127.0.0.1:\(service.port)",
        ], in: directory)
      let (a, b) = (pair.a.node, pair.b.node)
      for node in [a, b] { _ = try node.ask(.talk(isOn: false)) }
      _ = try a.ask(.assistant(.agree(keeps: false, AssistantCaller())))
      var helpKey = KeySetting(name: "help", lines: [])
      helpKey.targets = ["assistant"]
      #expect(try a.ask(.key(.set(helpKey))) == .ok)
      // A question, and time for the answer; again and again.
      let question = try Speech.lasting(1.2, Speech.sentences())
      try pair.a.prepareToSay(
        question + [Float](repeating: 0, count: 6 * 48_000), loops: true)

      // Alone: by its key, in A's ear, and B hears nothing.
      _ = try a.ask(.key(.tap(key: "help")))
      try wait(a, "it listens") { $0.assistant?.state == "listening" }
      let tally = try a.status().keys?.first { $0.name == "help" }?.tally
      #expect(tally == .talk || tally == .talkListen)
      try pair.a.mouth.start()
      try wait(a, "A to hear the answer") { $0.node.mixLevelDBFS > -40 }
      #expect(try b.status().node.mixLevelDBFS < -60)
      #expect(try a.status().guests?.isEmpty != false)
      _ = try a.ask(.key(.tap(key: "help")))
      try wait(a, "the key ends it") { $0.assistant?.calls == 0 }

      // On the line: a guest of A's, whom B hears though A's talk key is off.
      let call = try a.ask(.assistant(.call(isSpoken: true, line: "all", AssistantCaller())))
      guard case .assistant = call else {
        Issue.record("\(call)")
        return
      }
      try wait(b, "B to know of it") { $0.peers.first?.guests?.first?.name == "Ada" }
      try wait(b, "B to hear the answer") { $0.node.mixLevelDBFS > -40 }
      #expect(try b.status().peers.first?.guests?.first?.isTalking == true)
      #expect(try a.status().assistant?.line == "all")
      _ = try a.ask(.assistant(.end(session: nil, AssistantCaller())))
      try wait(b, "B to know that it has left") { $0.peers.first?.guests?.isEmpty != false }
      #expect(try !a.status().node.talk)
    }

    private func wait(
      _ node: NodeProcess, _ what: String, until isSo: (Status) -> Bool
    ) throws {
      try waitUntil(
        what, within: 20, interval: 0.05, detail: { node.process.outputTail() }
      ) { () throws(RigError) in isSo(try node.status()) }
    }
  }
}
