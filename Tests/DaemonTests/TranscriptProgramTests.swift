import Foundation
import Synchronization
import TestKit
import Testing

/// Transcripts of voice messages as users have them: two daemons, one with a speech service, and the command line.
@Suite(.timeLimit(.minutes(2))) struct TranscriptProgramTests {
  @Test func `who has a speech service reads what is said in voice messages, if not refused`()
    async throws
  {
    let folder = try TestFolder()
    let speech = try FakeSpeech()
    speech.text.withLock { $0 = "strike the table" }
    let pair = try DaemonPair(
      [[], ["--speech-asr", "tcp://127.0.0.1:\(speech.port)"]], in: folder)
    try await pair.start()
    try await pair.makeCrew()
    func send(_ seconds: Double) async throws {
      let path = "\(folder.path)/a.wav"
      try ToneFile.write(path, seconds: seconds)
      let sent = try await pair.comlink(0, ["voice-message", "send", path, "--to", "group"])
      #expect(sent.code == 0, "\(sent.complaint)")
    }
    try await send(0.5)
    try await pair.wait(1, within: 30) {
      try await pair.comlink(1, ["messages", "--search", "table"]).output
        .contains("voice message, 0:01\n    strike the table")
    }
    let own = try await pair.comlink(0, ["messages"]).output
    #expect(own.contains("voice message") && !own.contains("strike"), "\(own)")
    #expect(try await pair.comlink(0, ["captions", "refuse", "on"]).code == 0)
    try await pair.wait(1, within: 30) {
      try await pair.comlink(1, ["captions", "list"]).output.contains("refuses")
    }
    try await send(0.6)
    try await pair.wait(1, within: 30) {
      try await pair.comlink(1, ["messages"]).output.split(separator: "voice message").count == 3
    }
    try await Task.sleep(for: .seconds(2))
    #expect(speech.heard.withLock { $0 }.count == 1)
    try await pair.end()
  }
}
