import FoundationEssentials
import Glibc
import Remote
import StatusSchema
import Testing

@testable import TestRig

extension RealNodeTests {
  /// Voice messages between real nodes on JACK servers: from the microphone, and to the ear.
  @Suite struct VoiceMessageTests {
    private let pair: NodePair

    init() throws {
      pair = try NodePair(recordSeconds: 0, in: TemporaryDirectory(prefix: "comlink-voice"))
    }

    private func ask(_ node: NodeProcess, _ request: VoiceMessageRequest) throws -> ControlResponse
    {
      var client = try ControlClient(path: node.controlPath, timeout: .seconds(60))
      let answer = try client.request(.voiceMessage(request))
      if case .error(let words) = answer { Issue.record("\(request): \(words)") }
      return answer
    }

    private func playing(_ node: NodeProcess) throws -> VoicePlayingStatus? {
      try node.status().messages?.playing
    }

    private func sent(_ answer: ControlResponse) throws -> MessageStatus {
      guard case .messages(let messages) = answer else {
        throw RigError.status(reason: "\(answer)")
      }
      return try #require(messages.first)
    }

    /// Says something: until a node's key is known nothing can be sealed for it; the number that it has there.
    private func greet() throws -> Int64 {
      try waitUntil("B's key", within: 20) { () throws(RigError) in
        guard case .messages? = try? pair.a.node.ask(.say(to: "B", text: "listen")) else {
          return false
        }
        return true
      }
      return try arrival(after: 0)
    }

    /// The number that the newest message of B has.
    private func arrival(after number: Int64) throws -> Int64 {
      var last: Int64 = 0
      try waitUntil("the message", within: 20) { () throws(RigError) in
        last = try pair.b.node.status().messages?.last ?? 0
        return last > number
      }
      return last
    }

    /// Mono, 16 bits.
    private static func tone(seconds: Int) -> [UInt8] {
      func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      }
      let frames = 48_000 * seconds
      var bytes = Array("RIFF".utf8) + little(36 + 2 * frames, 4) + Array("WAVEfmt ".utf8)
      bytes += little(16, 4) + little(1, 2) + little(1, 2) + little(48_000, 4) + little(96_000, 4)
      bytes += little(2, 2) + little(16, 2) + Array("data".utf8) + little(2 * frames, 4)
      for index in 0..<frames {
        bytes += little(Int(16_384 * sin(2 * .pi * 440 * Double(index) / 48_000)), 2)
      }
      return bytes
    }

    @Test func `a file is heard at the other node's ear, as loud as it is, and can be steered`()
      throws
    {
      let (a, b) = (pair.a.node, pair.b.node)
      let file = Self.tone(seconds: 30)
      for offset in stride(from: 0, to: file.count, by: 30_000) {
        let part = file[offset..<min(offset + 30_000, file.count)]
        _ = try ask(a, .upload(name: "x", offset: offset, octets: Data(part)))
      }
      let before = try greet()
      let message = try sent(try ask(a, .send(to: "B", upload: "x")))
      #expect(message.voice?.seconds == 30)
      let number = try arrival(after: before)
      let idle = try b.status()
      _ = try ask(b, .play(number: number, at: nil, speed: nil))
      var level = -120.0
      try waitUntil("the message at the ear", within: 20) { () throws(RigError) in
        level = try b.status().node.mixLevelDBFS
        return level > -20
      }
      // The meter looks at some time.
      pause(seconds: 1)
      level = try b.status().node.mixLevelDBFS
      // Half of full scale: its RMS is 9 dB below, and in the middle each side has 3 dB less.
      #expect(abs(level + 12) < 2, "\(level)")
      #expect(try a.status().peers[0].levelDBFS < -60, "nobody else hears it")
      #expect(try playing(b)?.number == number)

      _ = try ask(b, .pause)
      try waitUntil("silence", within: 10) { () throws(RigError) in
        try b.status().node.mixLevelDBFS < -60
      }
      #expect(try playing(b)?.isPaused == true)
      _ = try ask(b, .seek(to: 20))
      _ = try ask(b, .speed(2))
      _ = try ask(b, .resume)
      try waitUntil("the message at the ear", within: 20) { () throws(RigError) in
        try b.status().node.mixLevelDBFS > -20
      }
      let status = try #require(try playing(b))
      #expect(status.speed == 2 && status.seconds >= 20)
      try waitUntil("its end", within: 20) { () throws(RigError) in
        try b.status().messages?.playing == nil
      }
      #expect(try b.status().audio.underruns == idle.audio.underruns)
    }

    @Test func `the microphone is recorded, but for pauses, whether its key is open or not`() throws
    {
      let (a, b) = (pair.a.node, pair.b.node)
      _ = try a.ask(.talk(isOn: false))
      _ = try ask(a, .record)
      func seconds() throws -> Double { try a.status().messages?.recording?.seconds ?? 0 }
      try waitUntil("a second", within: 20) { () throws(RigError) in
        (try? seconds()) ?? 0 > 1
      }
      _ = try ask(a, .pause)
      let paused = try seconds()
      sleep(1)
      #expect(try seconds() == paused)
      #expect(try a.status().messages?.recording?.isPaused == true)
      _ = try ask(a, .resume)
      try waitUntil("more", within: 20) { () throws(RigError) in
        (try? seconds()) ?? 0 > paused + 0.3
      }
      let before = try greet()
      let message = try sent(try ask(a, .send(to: "B", upload: nil)))
      let length = try #require(message.voice?.seconds)
      #expect(length > paused + 0.3 && length < paused + 20)
      #expect(try a.status().messages?.recording == nil)
      let number = try arrival(after: before)
      guard case .audio(let part) = try ask(b, .audio(number: number, offset: 0)) else { return }
      #expect(part.octets.starts(with: Array("OggS".utf8)))
      _ = try ask(a, .record)
      _ = try ask(a, .cancel)
      #expect(try a.status().messages?.recording == nil)
    }
  }
}
