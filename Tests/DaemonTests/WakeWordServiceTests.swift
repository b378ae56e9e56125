import Foundation
import Remote
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import NodeDaemon

/// Where `./dev wake --set-up` installs openWakeWord.
private enum WakeInstalled {
  static let python = "\(SpeechInstalled.root)/.build/wake/bin/python"
  static var isThere: Bool { FileManager.default.isExecutableFile(atPath: python) }
}

/// A wake word said into the microphone, heard by Home Assistant's openWakeWord.
@Suite(
  .timeLimit(.minutes(3)), .serialized,
  .enabled(
    if: SpeechInstalled.isThere && WakeInstalled.isThere,
    "openWakeWord is not installed: ./dev wake --set-up and ./dev speech --set-up do it"))
struct WakeWordServiceTests {
  private func wait(
    _ what: String, _ office: AssistantOffice, until isSo: () async throws -> Bool
  ) async throws {
    for _ in 0..<3000 {
      if try await isSo() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("never: \(what); \(await office.status)")
  }

  @Test func `the word begins a call, and no other does`() async throws {
    let voice = try SpeechProgram()
    defer { voice.end() }
    let wake = Process()
    let port = SpeechProgram.port + 10_000
    wake.executableURL = URL(filePath: WakeInstalled.python)
    wake.arguments = [
      "-m", "wyoming_openwakeword", "--uri", "tcp://127.0.0.1:\(port)", "--preload-model",
      "hey_jarvis",
    ]
    try wake.run()
    defer {
      kill(wake.processIdentifier, SIGKILL)
      wake.waitUntilExit()
    }
    let (folder, model, fake, ear) = (
      try TestFolder(), try ModelServer(), try FakeSpeech(), TestEar()
    )
    var (settings, services) = (AssistantSettings(), SpeechSettings())
    try settings.set(.assistantURL, to: .text("http://127.0.0.1:\(model.port)/v1"))
    try settings.set(.assistantWords, to: .list(["hey_jarvis"]))
    for setting in [Setting.speechASR, .speechTTS] {
      try services.set(setting, to: .text("tcp://127.0.0.1:\(fake.port)"))
    }
    try services.set(.speechWake, to: .text("tcp://127.0.0.1:\(port)"))
    let office = AssistantOffice(
      settings, services, directory: folder.path, door: ear, stage: TestStage(),
      log: LogLines().logger("assistant"))
    try await voice.ready()
    try await voice.ready(services.wake)
    let (other, word) = (
      try await voice.spoken("The weather is fine today."), try await voice.spoken("Hey Jarvis.")
    )
    _ = try await office.agree(true, AssistantCaller())
    await office.start(NoHands(), named: "stage") {}
    try await wait("has the microphone", office) { ear.opened.withLock { $0 } == 1 }
    // A network that has heard nothing yet decides nothing.
    try await Task.sleep(for: .seconds(2))
    ear.mic.withLock { $0 = other }
    try await wait("hears it", office) { ear.mic.withLock { $0.isEmpty } }
    try await Task.sleep(for: .seconds(2))
    #expect(await office.status.called == 0)
    ear.mic.withLock { $0 = word }
    try await wait("is woken", office) { await office.status.state == "listening" }
    #expect(await office.status.called == 1)
    try await office.end(nil, AssistantCaller())
    await office.finish()
  }
}
