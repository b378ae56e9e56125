import Audio
import Cryptography
import Foundation
import Mesh
import Messages
import Speech
import StatusSchema
import Synchronization
import TestKit
import Testing

@testable import Intercom
@testable import NodeDaemon

/// An ear without JACK: 10 ms each 10 ms.
private final class TestAloudDoor: AloudDoor, Sendable {
  /// Feeds that were played, and how many frames of each were no silence.
  let heard = Mutex<[Int]>([])
  let isGone = Mutex(false)
  /// JACK stands still.
  let isStill = Mutex(false)

  func makeEarFeed() async throws(IntercomError) -> EarFeed {
    guard !isGone.withLock({ $0 }) else { throw .refused("JACK does not run") }
    do throws(AudioError) { return try EarFeed(sampleRate: 48_000) } catch { throw .audio(error) }
  }

  func speak(_ feed: EarFeed) async throws(IntercomError) {
    let place = heard.withLock { heard in
      heard.append(0)
      return heard.count - 1
    }
    Task {
      var room = [Float](repeating: 0, count: 480)
      while !feed.isOver {
        let hasEnded = feed.pipe.hasEnded
        var span = room.mutableSpan
        let count = isStill.withLock({ $0 }) ? 0 : feed.pass(into: &span)
        if count > 0 {
          let loud = room.prefix(count).count { $0 != 0 }
          heard.withLock { $0[place] += loud }
        } else if hasEnded, feed.pipe.availableFrames == 0 {
          feed.finish()
        }
        try? await Task.sleep(for: .milliseconds(2))
      }
    }
  }

  func silence(_ feed: EarFeed) async { feed.finish() }
}

/// Time that passes as a test says.
private final class TestClock: Sendable {
  let nanoseconds = Atomic<Int64>(0)
}

/// Texts of others from their coming to the ear, with a service that does as it is told.
@Suite(.timeLimit(.minutes(1))) struct AloudDeskTests {
  private let speech: FakeSpeech
  private let door = TestAloudDoor()
  private let log = LogLines()
  private let now = TestClock()
  private let anna: NodeID
  private let bert: NodeID

  init() throws {
    speech = try FakeSpeech()
    anna = try #require(NodeID(octets: [UInt8](repeating: 1, count: 32)))
    bert = try #require(NodeID(octets: [UInt8](repeating: 2, count: 32)))
  }

  private func desk(
    _ choice: AloudChoice = .asked, for people: People? = nil, port: Int? = nil, isSet: Bool = true
  ) async throws -> AloudDesk {
    var services = SpeechSettings()
    if isSet { try services.set(.speechTTS, to: .text("tcp://127.0.0.1:\(port ?? speech.port)")) }
    let now = now
    let desk = AloudDesk(
      choice, for: people, services, door: door, log: log.logger("messages"),
      clock: { now.nanoseconds.load(ordering: .relaxed) })
    await desk.start {}
    return desk
  }

  private func wait(_ what: String, until isSo: () async throws -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < end {
      if try await isSo() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("never: \(what); \(log.all), spoken \(texts)")
  }

  private var texts: [String] { speech.spoken.withLock { $0 } }

  @Test func `what is to be spoken is heard in full, each in its sender's voice`() async throws {
    speech.voices.withLock { $0 = ["low", "deep", "high"] }
    let desk = try await desk()
    desk.take("read me", by: anna, named: "anna", isAsked: false, ageSeconds: 0)
    desk.take("stand by", by: anna, named: "anna", isAsked: true, ageSeconds: 2)
    desk.take("standing by", by: bert, named: "bert", isAsked: true, ageSeconds: 0)
    desk.take("go", by: anna, named: "anna", isAsked: true, ageSeconds: 0)
    try await wait("three are spoken") { await desk.status?.spoken == 3 }
    #expect(texts == ["stand by", "standing by", "go"])
    let voices = speech.spokenVoices.withLock { $0 }
    try #require(voices.count == 3)
    #expect(voices[0] == voices[2] && voices[0] != voices[1])
    #expect(Set(voices).isSubset(of: ["low", "deep", "high"]))
    // Half a second each; a zero crossing is a frame of silence.
    let heard = door.heard.withLock { $0 }
    #expect(heard.count == 3 && heard.allSatisfy { (22_000...24_600).contains($0) }, "\(heard)")
    let status = try #require(await desk.status)
    #expect(status.problem == nil && status.waiting == 0 && status.sender == nil)
    #expect(!log.all.contains { $0.contains("stand by") })
    await desk.finish()
  }

  @Test(arguments: [8000, 16_000, 22_050, 24_000, 48_000])
  func `a voice at any rate is as long as it is`(rate: Int) throws {
    let mouth = try #require(SpeechMouth(rate: rate, channels: 1, sampleRate: 48_000))
    var count = 0
    for _ in 0..<10 { count += mouth.frames(of: [UInt8](repeating: 1, count: rate / 5)).count }
    // The filter's half may be on its way.
    #expect(abs(count - 48_000) < 400, "\(count)")
  }

  @Test func `with one voice, or several languages, the ear is told who it is`() async throws {
    let desk = try await desk(.all)
    desk.take("stand by", by: anna, named: "anna", isAsked: false, ageSeconds: 0)
    try await wait("it is spoken") { await desk.status?.spoken == 1 }
    #expect(texts == ["anna: stand by"] && speech.spokenVoices.withLock { $0 } == [""])
    await desk.finish()
  }

  @Test(arguments: [(AloudChoice.off, People?.none), (.all, .deaf), (.asked, .deaf)])
  func `who wants none, or is deaf, is spoken nothing`(
    choice: AloudChoice, people: People?
  ) async throws {
    let desk = try await desk(choice, for: people)
    desk.take("stand by", by: anna, named: "anna", isAsked: true, ageSeconds: 0)
    let both = try await self.desk(.asked, for: .both)
    both.take("go", by: anna, named: "anna", isAsked: true, ageSeconds: 0)
    try await wait("the other is spoken") { await both.status?.spoken == 1 }
    #expect(texts == ["anna: go"] && log.all.count { $0.contains("not spoken") } == 0)
    #expect(await desk.status == nil)
    for one in [desk, both] { await one.finish() }
  }

  @Test func `without a service, or where it fails, the status and the log say once why`()
    async throws
  {
    let none = try await desk(isSet: false)
    for _ in 0..<3 {
      none.take("stand by", by: anna, named: "anna", isAsked: true, ageSeconds: 0)
    }
    try await wait("it is told") { await none.status?.problem != nil }
    #expect(await none.status?.problem?.contains("set tts in the table [speech]") == true)
    let closed = try await desk(port: 1)
    for _ in 0..<3 {
      closed.take("stand by", by: anna, named: "anna", isAsked: true, ageSeconds: 0)
      try await wait("nothing waits") { await closed.status?.waiting == 0 }
    }
    try await wait("it is told") { await closed.status?.problem?.contains("127.0.0.1:1:") == true }
    try await wait("it is over") { await closed.status?.sender == nil }
    #expect(log.all.count { $0.contains("message-not-aloud") && $0.contains("set tts") } <= 1)
    #expect(log.all.count { $0.contains("not spoken") } == 2, "\(log.all)")
    for one in [none, closed] { await one.finish() }
  }

  @Test func `a service that says nothing, or an ear that is gone, does not end it all`()
    async throws
  {
    let desk = try await desk()
    speech.seconds.withLock { $0 = 0 }
    desk.take("one", by: anna, named: "anna", isAsked: true, ageSeconds: 0)
    try await wait("silence is told") {
      await desk.status?.problem?.contains("the service said nothing") == true
    }
    speech.seconds.withLock { $0 = 0.2 }
    door.isGone.withLock { $0 = true }
    desk.take("two", by: anna, named: "anna", isAsked: true, ageSeconds: 0)
    try await wait("JACK is told") {
      await desk.status?.problem?.contains("JACK does not run") == true
    }
    door.isGone.withLock { $0 = false }
    desk.take("three", by: anna, named: "anna", isAsked: true, ageSeconds: 0)
    try await wait("it is spoken") { await desk.status?.spoken == 1 }
    #expect(await desk.status?.problem == nil)
    await desk.finish()
  }

  @Test func `what JACK does not play is not spoken, and says so`() async throws {
    let desk = try await desk()
    door.isStill.withLock { $0 = true }
    desk.take("stand by", by: anna, named: "anna", isAsked: true, ageSeconds: 0)
    try await wait("it is told") {
      await desk.status?.problem?.contains("JACK did not play all of it") == true
    }
    #expect(await desk.status?.spoken == 0)
    #expect(log.all.contains { $0.contains("message-not-aloud") && $0.contains("JACK did not") })
    door.isStill.withLock { $0 = false }
    desk.take("go", by: anna, named: "anna", isAsked: true, ageSeconds: 0)
    try await wait("it is spoken") { await desk.status?.spoken == 1 }
    #expect(await desk.status?.problem == nil)
    await desk.finish()
  }

  @Test func `a text that waited too long is counted, and told as one that is not spoken`()
    async throws
  {
    let desk = try await desk()
    door.isStill.withLock { $0 = true }
    desk.take("first", by: anna, named: "anna", isAsked: true, ageSeconds: 0)
    try await wait("the first is spoken to the ear") { door.heard.withLock { $0.count } == 1 }
    desk.take("second", by: bert, named: "bert", isAsked: true, ageSeconds: 0)
    desk.take("third", by: bert, named: "bert", isAsked: true, ageSeconds: 0)
    try await wait("two wait") { await desk.status?.waiting == 2 }
    now.nanoseconds.store(61_000_000_000, ordering: .relaxed)
    door.isStill.withLock { $0 = false }
    try await wait("they are late") { await desk.status?.dropped["late"] == 2 }
    let told = log.all.filter { $0.contains("others took too long") }
    #expect(told.count == 1 && told[0].contains("message-not-aloud") && told[0].contains("bert"))
    try await wait("it is over") { await desk.status?.sender == nil }
    #expect(await desk.status?.spoken == 1)
    await desk.finish()
  }

  @Test func `a flood is counted by reason, told once, and the end cuts it off`() async throws {
    speech.seconds.withLock { $0 = 30 }
    let desk = try await desk()
    for number in 0..<20 {
      desk.take("call \(number)", by: anna, named: "anna", isAsked: true, ageSeconds: 0)
    }
    desk.take("long ago", by: bert, named: "bert", isAsked: true, ageSeconds: 100)
    try await wait("all are counted") { await desk.status?.dropped["old"] == 1 }
    let status = try #require(await desk.status)
    #expect((15...16).contains(status.dropped["flood"] ?? 0) && status.waiting <= 4)
    #expect(log.all.count { $0.contains("texts of that member already wait") } == 1)
    try await wait("it sounds") { door.heard.withLock { ($0.first ?? 0) > 1000 } }
    let began = ContinuousClock.now
    await desk.finish()
    try await wait("nobody is spoken") { await desk.status?.sender == nil }
    #expect(ContinuousClock.now - began < .seconds(10))
    #expect(texts.count == 1)
  }
}
