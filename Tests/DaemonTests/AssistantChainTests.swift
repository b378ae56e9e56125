import Foundation
import Remote
import Speech
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import NodeDaemon
@testable import SpeechLink

/// Programs that are there for a test.
private struct Chain {
  let speech: SpeechProgram
  let model = Process()
  let modelPort = SpeechProgram.port + 10_000
  private let modelInput = Pipe()

  static let modelPython = "\(SpeechInstalled.root)/.build/assistant-venv/bin/python"
  static var isThere: Bool {
    SpeechInstalled.isThere && FileManager.default.isExecutableFile(atPath: modelPython)
  }

  init() throws {
    speech = try SpeechProgram()
    model.executableURL = URL(filePath: Self.modelPython)
    model.arguments = [
      "\(SpeechInstalled.root)/Tests/Assistant/model-server.py", "\(modelPort)",
    ]
    model.standardInput = modelInput
    model.standardOutput = FileHandle.nullDevice
    model.standardError = FileHandle.nullDevice
    try model.run()
  }

  func end() {
    speech.end()
    // A server that is in the middle of an answer would end it first.
    kill(model.processIdentifier, SIGKILL)
    model.waitUntilExit()
  }
}

/// A spoken question in, a spoken answer out, by the recogniser, the language model and the speaker of `./dev`.
///
/// `./dev bench assistant` is this, with more turns.
@Suite(
  .timeLimit(.minutes(9)), .serialized,
  .enabled(
    if: Chain.isThere,
    "the local chain is not installed: ./dev speech --set-up and ./dev assistant --set-up do it"))
struct AssistantChainTests {
  private static let questions = [
    ("How many days are in a week?", "days"), ("What is the capital of France?", "capital"),
    ("What color is the sky?", "sky"),
  ]
  private static var turns: Int {
    ProcessInfo.processInfo.environment["COMLINK_ASSISTANT_TURNS"].flatMap(Int.init)
      ?? (Seeds.areAll ? 6 : 1)
  }

  private func recognised(
    _ frames: [Float], by speech: SpeechProgram
  ) async throws -> String {
    let mouth = try #require(SpeechMouth(rate: 48_000, channels: 1, sampleRate: 16_000))
    func octets(_ frames: [Float]) -> [UInt8] {
      frames.flatMap { frame -> [UInt8] in
        let sample = Int16(max(-1, min(1, frame)) * 32_767)
        return [UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8)]
      }
    }
    let line = try speech.link.call(.recognise(language: "en"), at: speech.address)
    var rest = octets(mouth.frames(of: octets(frames)))[...]
    // As fast as a connection takes it, half a second at a time.
    while !rest.isEmpty {
      line.append(sound: Array(rest.prefix(16_000)))
      rest = rest.dropFirst(16_000)
      try await Task.sleep(for: .milliseconds(40))
    }
    line.finishSound()
    return await speech.all(line).compactMap { news -> String? in
      if case .text(let text, _, _) = news { text } else { nil }
    }.joined()
  }

  private func words(_ text: String) -> [String] {
    text.lowercased().split { !$0.isLetter && $0 != "'" }.map(String.init)
  }

  private func wait(
    _ what: String, _ office: AssistantOffice, until isSo: () async -> Bool
  ) async throws {
    for _ in 0..<12_000 {
      if await isSo() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Stuck(what: what, status: await office.status)
  }

  private struct Stuck: Error {
    let what: String
    let status: AssistantStatus
  }

  @Test func `a spoken question is understood, and its answer can be understood`() async throws {
    let chain = try Chain()
    defer { chain.end() }
    let folder = try TestFolder()
    var (settings, services) = (AssistantSettings(), SpeechSettings())
    try settings.set(.assistantURL, to: .text("http://127.0.0.1:\(chain.modelPort)/v1"))
    for setting in [Setting.speechASR, .speechTTS] {
      try services.set(setting, to: .text("\(chain.speech.address)"))
    }
    try await chain.speech.ready()
    var milliseconds: [Int] = []
    for turn in 0..<Self.turns {
      let (question, word) = Self.questions[turn % Self.questions.count]
      let asked = try await chain.speech.spoken(question)
      let ear = TestEar()
      let office = AssistantOffice(
        settings, services, directory: folder.path, door: ear, stage: TestStage(),
        log: LogLines().logger("assistant"))
      _ = try await office.agree(true, AssistantCaller())
      let session = try await office.call(AssistantCaller(), isSpoken: true)
      try await wait("listens", office) { await office.status.state == "listening" }
      // The ear opens a moment before it is asked.
      try await Task.sleep(for: .milliseconds(300))
      ear.sound.withLock { $0 = [] }
      let began = ear.ear.withLock { $0.count }
      ear.mic.withLock { $0 = asked }
      let spokeUntil = began + (asked.lastIndex { abs($0) > 0.01 } ?? 0) / 480
      try await wait("hears the answer", office) { ear.isHearing }
      let first = ear.ear.withLock { $0.lastIndex(of: false) ?? 0 } + 1
      milliseconds.append((first - spokeUntil) * 10)
      try await wait("listens again", office) { await office.status.state == "listening" }
      let sound = ear.sound.withLock { $0 ?? [] }
      let turns = try await office.session(session.id, AssistantCaller()).turns ?? []
      try #require(turns.count >= 2)
      #expect(turns[0].text.lowercased().contains(word), "heard: \(turns[0].text)")
      // 30 s at most, as the recogniser takes them.
      let heard = words(
        try await recognised(Array(sound.prefix(30 * 48_000)), by: chain.speech))
      let said = words(turns[1].text)
      let found = said.prefix(40).filter(Set(heard).contains).count
      #expect(
        Double(found) >= 0.6 * Double(min(40, said.count)), "said: \(said), heard: \(heard)")
      await office.finish()
    }
    let sorted = milliseconds.sorted()
    print(
      "assistant: end of speech to first sound of the answer, \(sorted.count) turns: median "
        + "\(sorted[sorted.count / 2]) ms, worst \(sorted.last ?? 0) ms, best \(sorted[0]) ms "
        + "(goal 1500); half a second of each is the silence that ends a question")
  }
}
