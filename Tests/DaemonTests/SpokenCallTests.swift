import Audio
import Foundation
import Lines
import Measurement
import Remote
import Speech
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import Intercom
@testable import NodeDaemon

/// A node that does nothing for an assistant.
struct NoHands: AssistantHands {
  func handle(_ request: ControlRequest) async -> ControlResponse { .ok }
}

/// A call by microphone and ear, from what is said to what is heard, with services that do as they are told.
@Suite(.timeLimit(.minutes(1))) struct SpokenCallTests {
  private let folder: TestFolder
  private let model: ModelServer
  private let speech: FakeSpeech
  private let ear = TestEar(isInStep: true)
  private let stage = TestStage()
  private let office: AssistantOffice
  private let caller = AssistantCaller()

  init() async throws {
    folder = try TestFolder()
    model = try ModelServer()
    speech = try FakeSpeech()
    var settings = AssistantSettings()
    try settings.set(.assistantURL, to: .text("http://127.0.0.1:\(model.port)/v1"))
    try settings.set(.assistantColour, to: .text("36a2eb"))
    var services = SpeechSettings()
    for setting in [Setting.speechASR, .speechTTS, .speechWake] {
      try services.set(setting, to: .text("tcp://127.0.0.1:\(speech.port)"))
    }
    office = AssistantOffice(
      settings, services, directory: folder.path, door: ear, stage: stage,
      log: LogLines().logger("assistant"))
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
    print("barge-in: \((silent - began) * 10) ms in the ear")
    #expect((silent - began) * 10 <= 200, "\((silent - began) * 10) ms")
    #expect(await state() == "listening")
    await office.finish()
  }

  @Test func `on a line the answer is heard there, and not in the ear`() async throws {
    speech.text.withLock { $0 = "Who is on it?" }
    speech.seconds.withLock { $0 = 1 }
    model.answers = ["Anna and Bert."]
    _ = try await office.call(caller, isSpoken: true, on: "stage")
    try await wait("listens") { await state() == "listening" }
    #expect(await office.status.line == "stage")
    let place = try #require(stage.last)
    let shown = stage.places.withLock { $0.first.map { ($0.name, $0.colour) } }
    #expect(shown?.0 == "Assistant" && shown?.1 == 0x36A2EB)
    ear.say(seconds: 0.8)
    try await wait("talks") { place.talks.withLock { $0 } == [true] }
    #expect(await office.tally == .answers)
    try await wait("listens again") { await state() == "listening" }
    #expect(await office.tally == .listens)
    // A second of sound, in frames of 10 ms, each with the next number.
    #expect((100...103).contains(place.frames.withLock { $0.sounding }))
    let numbers = place.numbers.withLock { $0 }
    #expect(zip(numbers, numbers.dropFirst()).allSatisfy { $1 == $0 + 1 })
    try await wait("its key closes") { place.talks.withLock { $0 } == [true, false] }
    #expect(!ear.ear.withLock { $0.contains(true) })
    try await office.end(nil, caller)
    try await wait("has left") { place.hasLeft.withLock { $0 } }
    await office.finish()
  }

  @Test func `a voice silences the answer on a line within 200 ms`() async throws {
    speech.text.withLock { $0 = "Tell me all." }
    speech.seconds.withLock { $0 = 10 }
    model.answers = ["Once upon a time there was a cable."]
    _ = try await office.call(caller, isSpoken: true, on: "stage")
    try await wait("listens") { await state() == "listening" }
    let place = try #require(stage.last)
    ear.say(seconds: 0.8)
    try await wait("talks") { place.frames.withLock { $0.sounding > 50 } }
    ear.say(seconds: 3)
    let (before, began) = (place.frames.withLock { $0.sounding }, ear.began.withLock { $0 })
    try await wait("its key closes") { place.talks.withLock { $0 } == [true, false] }
    // Microphone and frames go in step, 10 ms each; whatever the machine does beside.
    let (after, now) = (place.frames.withLock { $0.sounding }, ear.ear.withLock { $0.count })
    print("barge-in: \((after - before) * 10) ms on a line")
    #expect(after - before <= 20, "\((after - before) * 10) ms, of \((now - began) * 10)")
    #expect(await state() == "listening")
    await office.finish()
  }

  @Test func `a line that the node is not on ends the call with words`() async throws {
    _ = try await office.call(caller, isSpoken: true, on: "cellar")
    #expect(await office.status.state == "error")
    #expect(await office.status.problem == "there is no line cellar")
    try await wait("closes the ear") { ear.opened.withLock { $0 } == 0 }
    await office.finish()
  }

  @Test func `the assistant's key begins a call and ends it`() async throws {
    await office.pressed()
    try await wait("listens") { await state() == "listening" }
    #expect(await office.tally == .listens)
    await office.pressed()
    try await wait("is over") { await office.status.calls == 0 }
    #expect(await office.tally == .off)
    _ = try await office.agree(nil, caller)
    await office.pressed()
    #expect(await office.status.problem?.contains("nobody agreed yet") == true)
    #expect(await office.status.calls == 0)
    await office.finish()
  }

  @Test func `a wake word begins a call, which has the microphone from then on`() async throws {
    speech.text.withLock { $0 = "What time is it?" }
    model.answers = ["Ten past nine."]
    speech.wakesAfterBytes.withLock { $0 = 24_000 }
    await office.start(NoHands(), named: "stage") {}
    try await wait("is woken") { await state() == "listening" }
    #expect(await office.status.called == 1)
    // What listens for wake words has nothing of the call.
    let heard = speech.wakeBytes.withLock { $0 }
    ear.say(seconds: 0.8)
    try await wait("hears the answer") { ear.isHearing }
    try await wait("listens again") { await state() == "listening" }
    #expect(speech.wakeBytes.withLock { $0 } == heard)
    #expect(ear.opened.withLock { $0 } == 1)
    try await office.end(nil, caller)
    speech.wakesAfterBytes.withLock { $0 = nil }
    try await wait("listens for the word again") { speech.wakeBytes.withLock { $0 } > heard + 9600 }
    // Who agrees no more is listened to no more.
    _ = try await office.agree(nil, caller)
    try await wait("closes") { await office.status.calls == 0 }
    try await Task.sleep(for: .milliseconds(300))
    let last = speech.wakeBytes.withLock { $0 }
    try await Task.sleep(for: .milliseconds(400))
    #expect(speech.wakeBytes.withLock { $0 } == last)
    await office.finish()
    try await wait("closes the ear") { ear.opened.withLock { $0 } == 0 }
  }

  @Test func `services that do not answer end the call with words`() async throws {
    var settings = AssistantSettings()
    try settings.set(.assistantURL, to: .text("http://127.0.0.1:\(model.port)/v1"))
    var services = SpeechSettings()
    for setting in [Setting.speechASR, .speechTTS] {
      try services.set(setting, to: .text("tcp://127.0.0.1:1"))
    }
    let office = AssistantOffice(
      settings, services, directory: nil, door: ear, stage: stage,
      log: LogLines().logger("assistant"))
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
