import Cryptography
import Foundation
import Journal
import Messages
import Recording
import Speech
import Synchronization
import TestKit
import Testing

@testable import NodeDaemon

/// What is said in voice messages, with a service that does as it is told.
@Suite(.timeLimit(.minutes(2))) struct VoiceTranscriberTests {
  /// A node's journal, members and captions.
  private final class Node: Sendable {
    struct State {
      var files: [Int64: [UInt8]] = [:]
      var entries: [HistoryEntry] = []
      var kept: [(number: Int64, text: String)] = []
      var permits: [NodeID: Bool] = [:]
      var isBusy = false
      var asked = 0
      var pauses = 0
    }
    let state = Mutex(State())

    var kept: [Int64] { state.withLock { $0.kept.map(\.number) } }
    var texts: [String] { state.withLock { $0.kept.map(\.text) } }

    func add(_ number: Int64, by sender: NodeID, seconds: Double) throws {
      let writer = try ClipWriter(sampleRate: 48_000, vendor: "test")
      let tone = (0..<Int(seconds * 48_000)).map { Float(0.3 * sin(Double($0) / 17)) }
      try writer.write(tone, sampleRate: 48_000)
      let clip = try writer.finish()
      let audio = try SealedAudio(clip.file)
      let voice = try #require(
        VoiceClip(
          attachment: audio.attachment, seal: audio.seal, milliseconds: clip.milliseconds,
          peaks: clip.peaks))
      let message = Message(
        key: MessageKey(sender: sender, sequence: UInt64(number)), conversation: .member(sender),
        content: .voice(voice), sentUnixMilliseconds: 0, takenUnixMilliseconds: 0)
      state.withLock {
        $0.files[number] = clip.file
        $0.entries.append(HistoryEntry(number: number, message: message, isRead: true))
      }
    }

    var surroundings: VoiceTranscriber.Surroundings {
      VoiceTranscriber.Surroundings(
        unheard: { () async throws(JournalError) in
          self.state.withLock { state in
            state.entries.filter { entry in !state.kept.contains { $0.number == entry.number } }
          }
        },
        permits: { node in self.state.withLock { $0.permits[node] } },
        isBusy: { self.state.withLock { $0.isBusy } },
        sound: { (number) async throws(JournalError) in
          self.state.withLock {
            $0.asked += 1
            return $0.files[number]
          }
        },
        keep: { (text, number) async throws(JournalError) in
          self.state.withLock { $0.kept.append((number, text)) }
        },
        pause: { _ in
          self.state.withLock { $0.pauses += 1 }
          try? await Task.sleep(for: .milliseconds(10))
        })
    }
  }

  private let speech: FakeSpeech
  private let node = Node()
  private let log = LogLines()
  private let anna: NodeID
  private let bert: NodeID

  init() throws {
    speech = try FakeSpeech()
    anna = try #require(NodeID(octets: [UInt8](repeating: 1, count: 32)))
    bert = try #require(NodeID(octets: [UInt8](repeating: 2, count: 32)))
    node.state.withLock { [anna] in $0.permits[anna] = true }
    speech.text.withLock { $0 = " cue nine " }
  }

  /// Transcribes while a test looks.
  private func whileItRuns(_ body: () async throws -> Void) async throws {
    let service = try #require(ServiceAddress("tcp://127.0.0.1:\(speech.port)"))
    let transcriber = VoiceTranscriber(
      at: service, allowing: [], node.surroundings, log: log.logger("messages"))
    let task = Task { await transcriber.run() }
    try await body()
    task.cancel()
    await task.value
  }

  private func wait(_ what: String, until isSo: () -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < end {
      if isSo() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    Issue.record("never: \(what); \(log.all), kept \(node.texts)")
  }

  @Test func `all that is said is kept, the newest message first, a long one in pieces`()
    async throws
  {
    try node.add(1, by: anna, seconds: 1)
    try node.add(2, by: anna, seconds: 27)
    try await whileItRuns { try await wait("both") { node.kept.count == 2 } }
    #expect(node.kept == [2, 1])
    #expect(node.texts == ["cue nine cue nine", "cue nine"])
    let heard = speech.heard.withLock { $0 }
    #expect(heard.count == 3 && heard[0] <= 25 * 32_000)
    #expect(abs(heard[0] + heard[1] - 27 * 32_000) < 3200, "\(heard)")
    #expect(log.all.isEmpty)
  }

  @Test func `who refuses is not transcribed, and who has not said so yet is waited for`()
    async throws
  {
    node.state.withLock { [bert] in $0.permits[bert] = false }
    let carl = try #require(NodeID(octets: [UInt8](repeating: 3, count: 32)))
    for (number, sender) in [(Int64(1), anna), (2, bert), (3, carl)] {
      try node.add(number, by: sender, seconds: 0.5)
    }
    node.state.withLock { $0.files[1] = [1, 2, 3] }
    try await whileItRuns {
      try await wait("a look at all") { node.state.withLock { $0.pauses } > 3 }
      #expect(node.kept == [2, 1] && node.texts == ["", ""], "refused, damaged")
      #expect(speech.heard.withLock { $0 }.isEmpty)
      node.state.withLock { $0.permits[carl] = true }
      try await wait("the other") { node.kept == [2, 1, 3] }
    }
    #expect(node.texts[2] == "cue nine")
  }

  @Test func `captions go first`() async throws {
    node.state.withLock { $0.isBusy = true }
    try node.add(1, by: anna, seconds: 20)
    try await whileItRuns {
      try await wait("looks") { node.state.withLock { $0.pauses } > 3 }
      #expect(node.state.withLock { $0.asked } == 0)
      node.state.withLock { $0.isBusy = false }
      try await wait("the beginning") { node.state.withLock { $0.asked } == 1 }
      node.state.withLock {
        $0.isBusy = true
        $0.pauses = 0
      }
      try await wait("the interruption") { node.state.withLock { $0.pauses } > 3 }
      #expect(node.kept.isEmpty)
      node.state.withLock { $0.isBusy = false }
      try await wait("the text") { node.kept == [1] }
    }
    #expect(node.texts == ["cue nine"] && log.all.isEmpty)
  }

  @Test func `a service that is away is asked again, and told of once`() async throws {
    speech.text.withLock { $0 = nil }
    try node.add(1, by: anna, seconds: 0.5)
    try await whileItRuns {
      try await wait("two failures") { speech.heard.withLock { $0 }.count >= 2 }
      #expect(node.kept.isEmpty)
      speech.text.withLock { $0 = "go" }
      try await wait("the text") { node.kept == [1] }
    }
    #expect(node.texts == ["go"])
    #expect(log.all.count == 1 && log.all[0].contains("are not transcribed"), "\(log.all)")
  }
}
