import Foundation
import Remote
import StatusSchema
import TestKit
import Testing

@testable import TestRig

extension RealNodeTests {
  /// Recordings of real nodes on a real JACK server, read by programs that are not ours.
  @Suite struct RecordingTests {
    private static let periodFrames = 256
    private static let talkers = ["A", "B", "C"]

    @Test(arguments: ["wav", "opus"])
    func `each talker's file has its pitch, all are equally long, and the mix has what is heard`(
      format: String
    ) throws {
      let stage = try RecordedStage(in: TemporaryDirectory(prefix: "comlink-test"))
      defer { stage.stop() }
      let path = try stage.start(format: format)
      try stage.expect(.member("A", isRecording: true), at: ["B", "C"])
      try stage.waitForRecorded(seconds: 5)
      #expect(try stage.node("A").ask(.recordStop) == .ok)
      try stage.expect(.member("A", isRecording: false), at: ["B", "C"])
      let ended = try #require(try stage.node("A").status().recording)
      #expect(!ended.isRunning && ended.hasFailed == false && ended.files == 4)
      #expect(ended.droppedFrames == 0)

      let sounds = try Self.read(path, format, in: stage.directory)
      #expect(Set(sounds.map(\.value.frames)).count == 1, "\(sounds.mapValues(\.frames))")
      for (index, name) in Self.talkers.enumerated() {
        let sound = try #require(sounds[name])
        for (other, hertz) in RecordedStage.hertz.enumerated() {
          let level = sound.level(of: hertz, channel: 0)
          // Where the machine stalls a tone breaks off and goes on out of phase, which costs some of its level.
          #expect(other == index ? level > 0.05 : level < 0.01, "\(name): \(level) at \(hertz) Hz")
        }
      }
      let mix = try #require(sounds["mix"])
      for channel in 0..<2 {
        #expect(mix.level(of: RecordedStage.hertz[0], channel: channel) < 0.01)
        #expect(mix.level(of: RecordedStage.hertz[1], channel: channel) > 0.035)
        #expect(mix.level(of: RecordedStage.hertz[2], channel: channel) > 0.035)
      }
    }

    /// A probe on the same server hears the microphone and the peer's port at once.
    @Test func `what was said and heard at once is at one place in the files`() throws {
      let stage = try RecordedStage(in: TemporaryDirectory(prefix: "comlink-test"))
      defer { stage.stop() }
      let path = try stage.start(format: "wav")
      try stage.listen()
      try stage.waitForRecorded(seconds: 8)
      stage.ear.stop()
      _ = try stage.node("A").ask(.recordStop)
      let microphone = try stage.offset(of: try WAV.read("\(path)/A.wav").channels[0], input: 0)
      let peer = try stage.offset(of: try WAV.read("\(path)/B.wav").channels[0], input: 1)
      #expect(abs(microphone - peer) <= Self.periodFrames)
    }

    @Test func `what cannot be recorded to is refused with the reason`() throws {
      let stage = try RecordedStage(in: TemporaryDirectory(prefix: "comlink-test"))
      defer { stage.stop() }
      let node = try stage.node("A")
      let missing = RecordingRequest(directory: stage.directory.file("not-there"))
      let error = #expect(throws: RigError.self) { try node.ask(.recordStart(missing)) }
      #expect("\(error!)".contains("No such file or directory"))
      #expect(throws: RigError.self) { try node.ask(.recordStop) }
      _ = try stage.start(format: "opus")
      #expect(throws: RigError.self) { try stage.start(format: "opus") }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may mount"))
    func `a disk that does not answer holds up neither the status nor another recording`()
      async throws
    {
      let stage = try RecordedStage(in: TemporaryDirectory(prefix: "comlink-test"))
      defer { stage.stop() }
      let node = try stage.node("A")
      let share = stage.directory.file("share")
      try FileManager.default.createDirectory(atPath: share, withIntermediateDirectories: false)
      let disk = try #require(DeadDisk(at: share))
      defer { disk.giveUp() }
      let path = node.controlPath
      let answer = Task.detached {
        var client = try ControlClient(path: path, timeout: .seconds(60))
        return try client.request(.recordStart(RecordingRequest(directory: share)))
      }
      for _ in 0..<10 {
        #expect(try node.status().recording == nil)
        try await Task.sleep(for: .milliseconds(100))
      }
      guard case .error(let words) = try await answer.value else {
        Issue.record("it began")
        return
      }
      #expect(words == "the disk of \(share) does not respond")
      _ = try stage.start(format: "opus")
      try stage.waitForRecorded(seconds: 1)
      #expect(try node.ask(.recordStop) == .ok)
      #expect(try node.status().recording?.hasFailed == false)
    }

    /// The files as ffmpeg reads them.
    private static func read(
      _ path: String, _ format: String, in directory: TemporaryDirectory
    ) throws -> [String: Sound] {
      var sounds: [String: Sound] = [:]
      for name in talkers + ["mix"] {
        let wav = directory.file("\(name).decoded.wav")
        let file = "\(path)/\(name).\(format)"
        try run("ffmpeg", ["-v", "error", "-i", file, "-c:a", "pcm_s24le", wav], in: directory)
        sounds[name] = try WAV.read(wav)
        if format == "opus" {
          let words = try run("opusinfo", [file], in: directory)
          #expect(words.contains("TITLE=\(name)") && !words.contains("WARNING"), "\(words)")
        }
      }
      return sounds
    }

    @discardableResult
    private static func run(
      _ program: String, _ arguments: [String], in directory: TemporaryDirectory
    ) throws -> String {
      let log = directory.file("\(program).log")
      try? FileManager.default.removeItem(atPath: log)
      let process = try ChildProcess("env", [program] + arguments, outputPath: log)
      try waitUntil("the end of \(program)", within: 60) { () throws(RigError) in
        process.endStatus != nil
      }
      #expect(process.endStatus == 0, "\(process.outputTail())")
      return process.output
    }
  }
}

extension Sound {
  /// The amplitude of a tone after the first two seconds.
  fileprivate func level(of hertz: Double, channel: Int) -> Double {
    let pcm = channels[channel].dropFirst(96_000).prefix(96_000)
    var (cosine, sine) = (0.0, 0.0)
    for (frame, sample) in pcm.enumerated() {
      let phase = 2 * .pi * hertz * Double(frame) / 48_000
      cosine += Double(sample) * cos(phase)
      sine += Double(sample) * sin(phase)
    }
    return 2 * (cosine * cosine + sine * sine).squareRoot() / Double(max(pcm.count, 1))
  }
}
