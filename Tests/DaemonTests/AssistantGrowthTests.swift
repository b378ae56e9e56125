import Foundation
import Logging
import Remote
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import NodeDaemon

/// Calls by the hundred, by microphone and ear, at ten times the speed of life.
@Suite(.timeLimit(.minutes(9)), .serialized) struct AssistantGrowthTests {
  private static var descriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  /// What is resident now.
  private static var residentBytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (Int(text.split(separator: " ").dropFirst().first ?? "") ?? 0) * 4096
  }

  @Test func `a thousand calls by night leave nothing behind`() async throws {
    let (model, speech, ear) = (try ModelServer(), try FakeSpeech(), TestEar(pace: 10))
    speech.text.withLock { $0 = "How far is it?" }
    speech.seconds.withLock { $0 = 0.3 }
    model.answers = ["Three miles."]
    var (settings, services) = (AssistantSettings(), SpeechSettings())
    try settings.set(.assistantURL, to: .text("http://127.0.0.1:\(model.port)/v1"))
    for setting in [Setting.speechASR, .speechTTS] {
      try services.set(setting, to: .text("tcp://127.0.0.1:\(speech.port)"))
    }
    let stage = TestStage()
    let office = AssistantOffice(
      settings, services, directory: nil, door: ear, stage: stage,
      log: LogLines().logger("assistant", level: .critical))
    let caller = AssistantCaller()
    _ = try await office.agree(false, caller)
    let rounds = Seeds.rounds(1000, shortenedBy: 50)
    var middle = (bytes: 0, descriptors: 0)
    for round in 0..<rounds {
      try await call(office, ear, speech, on: round % 2 == 0 ? "" : "stage")
      speech.heard.withLock { $0 = [] }
      speech.spoken.withLock { $0 = [] }
      speech.spokenVoices.withLock { $0 = [] }
      stage.places.withLock { $0 = [] }
      ear.ear.withLock { $0 = [] }
      if round == rounds / 2 { middle = (Self.residentBytes, Self.descriptors) }
    }
    #expect(await office.status.called == rounds)
    #expect(await office.status.failed == 0)
    let grown = Self.residentBytes - middle.bytes
    print("assistant: \(rounds) calls, the second half added \(grown) octets")
    // Of a few calls most is what the allocator keeps: two rings of 4 MB a call come and go.
    let most = rounds < 1000 ? 32 << 20 : 8 << 20
    #expect(grown < most, "\(grown) octets in \(rounds / 2) calls")
    #expect(Self.descriptors <= middle.descriptors + 2)
    await office.finish()
  }

  private func call(
    _ office: AssistantOffice, _ ear: TestEar, _ speech: FakeSpeech, on line: String
  ) async throws {
    _ = try await office.call(AssistantCaller(), isSpoken: true, on: line)
    try await wait("listens", office) { await office.status.state == "listening" }
    ear.say(seconds: 0.4)
    try await wait("answers", office) { speech.spoken.withLock { !$0.isEmpty } }
    try await wait("listens again", office) { await office.status.state == "listening" }
    try await office.end(nil, AssistantCaller())
    try await wait("is over", office) { await office.status.calls == 0 }
    try await wait("gives the ear back", office) { ear.opened.withLock { $0 } == 0 }
  }

  private func wait(
    _ what: String, _ office: AssistantOffice, until isSo: () async -> Bool
  ) async throws {
    for _ in 0..<6000 {
      if await isSo() { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("never: \(what); \(await office.status)")
    throw CancellationError()
  }
}
