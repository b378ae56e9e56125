import Foundation
import TestKit
import Testing

@testable import Recording

/// Voice messages of files that anybody may have made: so many of each kind that few ways to break
/// one are left.
@Suite(.timeLimit(.minutes(Seeds.areAll ? 120 : 2))) struct ClipFuzzTests {
  /// What `Tests/DecodeFuzz` says at its end.
  private struct Outcome: Decodable {
    var decoded: Int
    var refused: Int
    /// Processes that a signal ended: the library's fault, which reaches nobody else.
    var crashed: Int
    /// Those that took all the time that one has.
    var cut: Int
    /// Those that ended as no decoder does.
    var strange: Int
    var cpuSeconds: Double
    var mebibytes: Int
    var firstBad: Int
  }

  /// ffmpeg's options for files of a kind, one each.
  static let kinds: [(kind: AudioKind, forms: [String])] = [
    (
      .wav,
      ["-f wav", "-c:a pcm_f32le -f wav", "-c:a adpcm_ima_wav -f wav", "-c:a pcm_mulaw -f wav"]
    ),
    (.mp3, ["-f mp3", "-q:a 2 -id3v2_version 0 -f mp3"]),
    (.ogg, ["-f ogg", "-ar 48000 -f opus"]),
    (.flac, ["-f flac", "-sample_fmt s32 -f flac"]),
    (.m4a, ["-f ipod", "-c:a alac -f ipod"]),
  ]

  private static func count(_ all: Int) -> Int {
    Seeds.areAll ? 100_000 : Seeds.areFew ? all / 10 : all
  }

  /// A place in a file, mostly where its headers are.
  private static func place(in count: Int, _ random: inout SplitMix64) -> Int {
    .random(in: 0..<(Bool.random(using: &random) ? min(256, count) : count), using: &random)
  }

  /// Cut off, with other octets, numbers at their limits, parts that are gone or come twice.
  private static func damaged(_ file: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var bad = file
    for _ in 0..<Int.random(in: 1...4, using: &random) where bad.count > 1 {
      let place = place(in: bad.count, &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bad.removeLast(.random(in: 1..<bad.count, using: &random))
      case 1:
        for _ in 0..<Int.random(in: 1...64, using: &random) {
          bad[Self.place(in: bad.count, &random)] = .random(in: .min ... .max, using: &random)
        }
      case 2:
        let number = [0x00, 0x01, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
        let end = min(bad.count, place + Int.random(in: 1...8, using: &random))
        for index in place..<end { bad[index] = UInt8(number) }
      case 3: bad.removeSubrange(place..<Int.random(in: place...bad.count, using: &random))
      default: bad.insert(contentsOf: bad[place...], at: Int.random(in: 0...place, using: &random))
      }
    }
    // Else nobody looks into its pages.
    if Int.random(in: 0..<4, using: &random) > 0 { OggFile.mend(&bad) }
    return bad
  }

  @Test(arguments: kinds)
  func `damaged files end in sound or a refusal, within the child's time and memory`(
    kind: AudioKind, forms: [String]
  ) throws {
    let folder = try TestFolder()
    defer { withExtendedLifetime(folder) {} }
    let source = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../DecodeFuzz/main.c").standardized.path
    var files: [String] = []
    for (index, form) in forms.enumerated() {
      files.append("\(folder.path)/\(index)")
      let made = unsafe system(
        "ffmpeg -nostdin -v error -y -f lavfi -i sine=frequency=440:duration=0.25 "
          + "\(form) \(files[index])"
      )
      try #require(made == 0, "ffmpeg has to be installed: ./dev packages")
    }
    let (program, library) = ("\(folder.path)/fuzz", "\(folder.path)/fuzz.so")
    let compile = "cc -std=gnu17 -O2"
    let built = unsafe system(
      "\(compile) -o \(program) \(source) -ldl && "
        + "\(compile) -shared -fPIC -DIN_FFMPEG -o \(library) \(source) -ldl")
    try #require(built == 0, "a C compiler has to be installed: ./dev packages")
    let count = Self.count(kind == .m4a ? 100 : 300)
    let seed = UInt64.random(in: 1 ... .max >> 1)
    let result = "\(folder.path)/outcome"
    let code = unsafe system(
      "COMLINK_FUZZ_LIBRARY=\(library) \(program) \(kind == .m4a ? "m4a" : "sound") "
        + "\(count) \(seed) "
        + "\(files.joined(separator: " ")) > \(result)")
    let text = try String(contentsOfFile: result, encoding: .utf8)
    print("\(kind.rawValue), seed \(seed): \(text)", terminator: "")
    let outcome = try JSONDecoder().decode(Outcome.self, from: Data(text.utf8))
    #expect(code == 0, "file \(outcome.firstBad) of seed \(seed): \(text)")
    let ended = outcome.decoded + outcome.refused + outcome.crashed + outcome.cut
    #expect(ended == count && outcome.strange == 0)
    #expect(outcome.mebibytes <= 512)
    // Not all alike: some are read for all that, some are not.
    #expect(outcome.decoded > 0 && outcome.refused > 0)
  }

  @Test(arguments: FuzzSeeds.both)
  func `any file of Ogg Opus is played as long as it says, or refused`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let files = try [2400, 20_000].map { frames in
      let writer = try ClipWriter(sampleRate: 48_000, vendor: "test")
      try writer.write((0..<frames).map { Float($0 % 100) / 200 }, sampleRate: 48_000)
      return try writer.finish().file
    }
    var played = 0
    let count = Self.count(1000) / 2
    for round in 0..<count {
      let bad = Self.damaged(files[round % 2], &random)
      // As what the page records, too: a file of whole pages, or nothing.
      if let file = try? PageRecording.file(of: Array(PageRecording.packets.utf8) + bad) {
        #expect(OggFile(file)?.isEnded == true, "round \(round) of seed \(seed)")
      }
      _ = ClipMark.isMirrored(bad)
      _ = ClipMark.mirrored(bad)
      let rate = [8000, 44_100, 48_000, 96_000].randomElement(using: &random) ?? 48_000
      guard let player = try? ClipPlayer(bad, sampleRate: rate) else { continue }
      played += 1
      #expect((0...600).contains(player.seconds), "round \(round) of seed \(seed)")
      if round % 3 == 0 {
        try player.setSpeed(.random(in: 0.75...2, using: &random))
        try player.seek(to: .random(in: -1...player.seconds + 1, using: &random))
      }
      var frames = 0
      while let pcm = player.read() {
        frames += pcm.count
        guard pcm.allSatisfy(\.isFinite) else {
          Issue.record("no number in round \(round) of seed \(seed)")
          break
        }
      }
      let most = Int((player.seconds + 1) * Double(rate) / 0.75)
      #expect(frames <= most, "\(frames) frames in round \(round) of seed \(seed)")
    }
    #expect((1..<count).contains(played), "\(played) of \(count), seed \(seed)")
  }

  @Test(arguments: FuzzSeeds.both)
  func `whatever numbers a decoder writes become a message, or none`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for round in 0..<Self.count(400) / 2 {
      let rate = Int.random(in: 8000...192_000, using: &random)
      let writer = try ClipWriter(sampleRate: rate, vendor: "test")
      let pcm = (0..<Int.random(in: 0...3000, using: &random)).map { _ in
        switch Int.random(in: 0..<4, using: &random) {
        case 0: Float(bitPattern: .random(in: .min ... .max, using: &random))
        case 1:
          [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
            .randomElement(using: &random) ?? 0
        default: Float.random(in: -1...1, using: &random)
        }
      }
      do throws(ClipError) {
        try writer.write(pcm, sampleRate: rate)
        let clip = try writer.finish()
        #expect(clip.milliseconds <= 3000 * 1000 / 8000 + 1, "round \(round) of seed \(seed)")
        _ = try ClipPlayer(clip.file, sampleRate: 48_000)
      } catch {
        #expect(error == .empty && pcm.count < 1000, "round \(round) of seed \(seed): \(error)")
      }
    }
  }
}

/// A seed that is always the same, and one by chance.
private enum FuzzSeeds {
  static let both: [UInt64] = [1, .random(in: 2 ... .max)]
}
