import Audio
import Intercom
import Recording
import StatusSchema
import Synchronization
import Testing

@testable import NodeDaemon

/// A microphone whose sound a test has.
private final class TestMemoDoor: MemoDoor {
  let pipe = Mutex<SoundPipe?>(nil)
  /// At this rate the recorder is far faster than sound.
  static let rate = 8000

  func beginMemo() async throws(IntercomError) -> SoundPipe {
    do throws(AudioError) {
      let made = try SoundPipe(sampleRate: Self.rate)
      pipe.withLock { $0 = made }
      return made
    } catch {
      throw .audio(error)
    }
  }

  func endMemo(_ pipe: SoundPipe) async { pipe.end() }

  /// Says something for that long, as fast as it is taken.
  func say(seconds: Double) async throws {
    let pipe = try #require(pipe.withLock { $0 })
    var left = Int(seconds * Double(Self.rate))
    while left > 0 {
      let count = min(left, pipe.roomFrames)
      pipe.write([Float](repeating: 0.1, count: count).span)
      left -= count
      if count == 0 { try await Task.sleep(for: .milliseconds(5)) }
    }
    while pipe.availableFrames > 0 { try await Task.sleep(for: .milliseconds(5)) }
  }
}

@Suite(.timeLimit(.minutes(4))) struct VoiceRecorderTests {
  @Test func `who records is warned after nine minutes, with what is left, and of the end at ten`()
    async throws
  {
    let door = TestMemoDoor()
    let recorder = VoiceRecorder(node: door)
    try await recorder.begin()
    let warned = Double(ClipLimits.warningSeconds)
    #expect(ClipLimits.warningSeconds == 540 && ClipLimits.seconds == 600)
    try await door.say(seconds: warned - 2)
    let before = try #require(await recorder.status)
    #expect(before.warning == nil && before.seconds > warned - 3 && before.seconds < warned)
    try await door.say(seconds: 5)
    let after = try #require(await recorder.status)
    let left = try #require(after.warning?.firstMatch(of: /^it ends by itself in ([0-9]+) s$/)?.1)
    #expect(left == "\(Int(Double(ClipLimits.seconds) - after.seconds))")
    #expect((55...60).contains(Int(left) ?? 0), "\(left)")
    try await door.say(seconds: 70)
    let end = try #require(await recorder.status)
    #expect(end.seconds == Double(ClipLimits.seconds))
    #expect(end.warning == "it ended after 10 minutes; send or cancel it")
    // What was said until then is sent, within the size that there is.
    let clip = try await recorder.finish()
    #expect(clip.milliseconds == ClipLimits.seconds * 1000)
    #expect(clip.file.count < ClipLimits.fileBytes)
    try await recorder.cancel()
    #expect(await recorder.status == nil)
  }
}
