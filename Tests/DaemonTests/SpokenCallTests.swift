import Audio
import Foundation
import Measurement
import Remote
import Speech
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import Intercom
@testable import NodeDaemon

/// A microphone and an ear without JACK: 10 ms of both each 10 ms.
private final class TestEar: EarDoor, Sendable {
  /// What the microphone hears from now on.
  let mic = Mutex<[Float]>([])
  /// Whether the ear has heard something, by 10 ms.
  let ear = Mutex<[Bool]>([])
  /// Microphone and ear in step: where the last speech began, in blocks.
  let began = Mutex(0)
  let opened = Mutex(0)
  private let pump = Mutex<Task<Void, Never>?>(nil)

  func openEar() async throws(IntercomError) -> EarLink {
    let link: EarLink
    do throws(AudioError) { link = try EarLink(sampleRate: 48_000) } catch { throw .audio(error) }
    opened.withLock { $0 += 1 }
    let task = Task {
      var next = ContinuousClock.now
      var room = [Float](repeating: 0, count: 480)
      while !Task.isCancelled {
        let block = mic.withLock { mic -> [Float] in
          let block = Array(mic.prefix(480))
          mic.removeFirst(block.count)
          return block + [Float](repeating: 0, count: 480 - block.count)
        }
        link.microphone.write(block.span)
        let isCut = link.ear.passUnwanted()
        var span = room.mutableSpan
        let count = link.ear.read(into: &span)
        link.ear.note(waitingFrames: 0)
        ear.withLock { $0.append(!isCut && room.prefix(count).contains { $0 != 0 }) }
        next += .milliseconds(10)
        try? await Task.sleep(until: next, clock: .continuous)
      }
    }
    pump.withLock { $0 = task }
    return link
  }

  func closeEar(_ link: EarLink) async {
    pump.withLock { $0 }?.cancel()
    opened.withLock { $0 -= 1 }
  }

  /// Somebody says something for so long.
  func say(seconds: Double) {
    began.withLock { $0 = ear.withLock { $0.count } }
    mic.withLock { $0 = ArtificialSpeech.frames(seconds: seconds, sampleRate: 48_000) }
  }

  var isHearing: Bool { ear.withLock { $0.last == true } }
}

/// A call by microphone and ear, from what is said to what is heard, with services that do as they are told.
@Suite(.timeLimit(.minutes(1))) struct SpokenCallTests {
  private let folder: TestFolder
  private let model: ModelServer
  private let speech: FakeSpeech
  private let ear = TestEar()
  private let office: AssistantOffice
  private let caller = AssistantCaller()

  init() async throws {
    folder = try TestFolder()
    model = try ModelServer()
    speech = try FakeSpeech()
    var settings = AssistantSettings()
    try settings.set(.assistantURL, to: .text("http://127.0.0.1:\(model.port)/v1"))
    var services = SpeechSettings()
    for setting in [Setting.speechASR, .speechTTS] {
      try services.set(setting, to: .text("tcp://127.0.0.1:\(speech.port)"))
    }
    office = AssistantOffice(
      settings, services, directory: folder.path, door: ear, log: LogLines().logger("assistant"))
    _ = try await office.agree(true, caller)
  }

  private func wait(
    _ what: String, seconds: Double = 15, until isSo: () async throws -> Bool
  ) async throws {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      if try await isSo() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("never: \(what); \(await office.status)")
  }

  private func state() async -> String { await office.status.state }

  @Test func `a spoken question is answered in the ear, and both are kept`() async throws {
    speech.text.withLock { $0 = "How far is it?" }
    model.answers = ["It is three miles. Turn left.", "Title: Way"]
    let session = try await office.call(caller, isSpoken: true)
    try await wait("listens") { await state() == "listening" }
    ear.say(seconds: 1.2)
    try await wait("hears the answer") { ear.isHearing }
    #expect(await state() == "speaking")
    try await wait("listens again") { await state() == "listening" }
    #expect(speech.spoken.withLock { $0 } == ["It is three miles.", "Turn left."])
    // All of the question was recognised, its first sound, too: 1.2 s and the half second that ended it.
    let heard = Double(speech.heard.withLock { $0 }.first ?? 0) / 32_000
    #expect((1.1...2.6).contains(heard))
    try await office.end(session.id, caller)
    #expect(ear.opened.withLock { $0 } >= 0)
    try await wait("is kept") {
      let kept = try? await office.session(session.id, caller)
      return kept?.turns?.map(\.text) == ["How far is it?", "It is three miles. Turn left."]
    }
    try await wait("closes the ear") { ear.opened.withLock { $0 } == 0 }
    await office.finish()
  }

  @Test func `a voice silences the answer within 200 ms of its beginning`() async throws {
    speech.text.withLock { $0 = "Tell me all." }
    speech.seconds.withLock { $0 = 10 }
    model.answers = ["Once upon a time there was a cable."]
    _ = try await office.call(caller, isSpoken: true)
    try await wait("listens") { await state() == "listening" }
    ear.say(seconds: 0.8)
    try await wait("hears the answer") { ear.isHearing }
    try await Task.sleep(for: .milliseconds(700))
    ear.say(seconds: 3)
    let began = ear.began.withLock { $0 }
    try await wait("is silent") { !ear.isHearing }
    let blocks = ear.ear.withLock { $0 }
    let silent = try #require(blocks.indices.first { $0 >= began && !blocks[$0] })
    // 10 ms a block; the artificial voice itself begins some 20 ms into it.
    #expect((silent - began) * 10 <= 250, "\((silent - began) * 10) ms")
    #expect(await state() == "listening")
    await office.finish()
  }

  @Test func `services that do not answer end the call with words`() async throws {
    var settings = AssistantSettings()
    try settings.set(.assistantURL, to: .text("http://127.0.0.1:\(model.port)/v1"))
    var services = SpeechSettings()
    for setting in [Setting.speechASR, .speechTTS] {
      try services.set(setting, to: .text("tcp://127.0.0.1:1"))
    }
    let office = AssistantOffice(
      settings, services, directory: nil, door: ear, log: LogLines().logger("assistant"))
    _ = try await office.agree(false, caller)
    _ = try await office.call(caller, isSpoken: true)
    #expect(await office.status.state == "error")
    #expect(await office.status.problem?.contains("the recogniser at tcp://127.0.0.1:1") == true)
    #expect(ear.opened.withLock { $0 } == 0)
    await office.finish()
  }

  @Test func `a recogniser that breaks off is told in the ear, and the call goes on`() async throws
  {
    speech.text.withLock { $0 = nil }
    _ = try await office.call(caller, isSpoken: true)
    try await wait("listens") { await state() == "listening" }
    ear.say(seconds: 0.8)
    try await wait("tells") { speech.spoken.withLock { !$0.isEmpty } }
    #expect(speech.spoken.withLock { $0 }.first?.contains("speech service") == true)
    #expect(await state() == "listening")
    #expect(model.requests.isEmpty)
    await office.finish()
  }
}
