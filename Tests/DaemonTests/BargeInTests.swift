import Assistant
import Measurement
import Testing

@testable import NodeDaemon

/// How soon a voice silences the assistant, in virtual time: what its detector and the call take of the 200 ms.
///
/// The rest is the look at the microphone, each 10 ms, and a period of JACK, of 1024 frames at most.
@Suite struct BargeInTests {
  private static let mostMilliseconds = 200 - 10 - 21
  private static let millisecond: Int64 = 1_000_000

  private var call = AssistantCall(CallSettings(prompt: ""), nowNanoseconds: 0)
  private var now: Int64 = 0

  /// The assistant speaks, and goes on to.
  private mutating func begin() throws {
    call.connected(nowNanoseconds: now)
    let isAsked = call.ask("Tell me all.", nowNanoseconds: now)
    #expect(isAsked)
    for case .query(let number, _) in call.takeActions() {
      call.take(.text("Once upon a time. "), of: number, nowNanoseconds: now)
    }
    try #require(call.state == .speaking)
    _ = call.takeActions()
  }

  /// Lets the microphone hear 10 ms.
  ///
  /// - Returns: whether that silenced the assistant.
  private mutating func hear(_ block: ArraySlice<Float>, by ear: MicrophoneEar) -> Bool {
    now += 10 * Self.millisecond
    let block = Array(block)
    if let voice = ear.take(block.span)?.voice { call.hear(voice: voice, nowNanoseconds: now) }
    if call.deadlineNanoseconds <= now { call.tick(nowNanoseconds: now) }
    return call.takeActions().contains(.silence)
  }

  /// Voices that begin with another syllable each, loud and soft.
  @Test(arguments: 0..<6, [0.3, 0.1, 0.03] as [Float])
  mutating func `a voice has the floor in time, whatever it begins with`(
    syllable: Int, peak: Float
  ) throws {
    let ear = try #require(MicrophoneEar(sampleRate: 48_000))
    try begin()
    let silence = [Float](repeating: 0, count: 480)
    for _ in 0..<100 {
      let isSilenced = hear(silence[...], by: ear)
      #expect(!isSilenced)
    }
    let voice = ArtificialSpeech.frames(seconds: 3, sampleRate: 48_000, peak: peak)
    let spoken = voice[(syllable * 9600)...]
    let first = try #require(spoken.firstIndex { abs($0) > peak / 30 })
    var place = spoken.startIndex
    while place + 480 <= spoken.endIndex {
      defer { place += 480 }
      guard hear(spoken[place..<(place + 480)], by: ear) else { continue }
      let milliseconds = (place + 480 - first) / 48
      #expect(milliseconds <= Self.mostMilliseconds, "\(milliseconds) ms")
      print("barge-in: syllable \(syllable), peak \(peak): \(milliseconds) ms")
      return
    }
    Issue.record("it goes on speaking")
  }
}
