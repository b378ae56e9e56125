import Foundation
import TestKit
import Testing

@testable import Recording

/// Files of all kinds, made by programs that users have, and hostile ones.
@Suite(.timeLimit(.minutes(2))) struct ClipImportTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// A file of a tone, as ffmpeg writes it.
  private func made(_ name: String, seconds: Double = 2, _ options: String = "") throws -> [UInt8] {
    try withExtendedLifetime(folder) { try made(name, seconds, options, in: folder.path) }
  }

  private func made(
    _ name: String, _ seconds: Double, _ options: String, in folder: String
  ) throws -> [UInt8] {
    let path = "\(folder)/\(name)"
    let command =
      "ffmpeg -nostdin -v error -y -f lavfi -i sine=frequency=440:duration=\(seconds) "
      + "\(options) \(path)"
    let code = unsafe system(command)
    try #require(code == 0, "ffmpeg has to be installed: ./dev packages")
    return try Self.octets(path)
  }

  private static func octets(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private func imported(_ file: [UInt8]) throws(ClipError) -> Clip {
    try ClipImport().clip(of: file, vendor: "test")
  }

  @Test(arguments: ["a.wav", "a.flac", "a.ogg", "a.opus", "a.mp3", "a.m4a"])
  func `each kind is told by what is in it, and becomes a message as long and as loud`(
    name: String
  ) throws {
    let rate = name.hasSuffix("opus") ? 48_000 : 44_100
    let file = try made(name, "-ar \(rate) -ac 2 -f \(Self.format(name))")
    let clip = try imported(file)
    #expect(abs(clip.milliseconds - 2000) < 90, "\(clip.milliseconds)")
    // ffmpeg's tone has an eighth of full scale.
    // Nearly all of 200, at 0.088 of full scale: MP3 begins and ends in silence of its own.
    #expect(clip.peaks.count { (18...48).contains($0) } > 180)
    let player = try ClipPlayer(clip.file, sampleRate: 48_000)
    var pcm: [Float] = []
    while let more = player.read() { pcm += more }
    let crossings = zip(pcm[24_000..<72_000], pcm[24_001..<72_001]).count { $0 < 0 && $1 >= 0 }
    #expect(abs(crossings - 440) < 4)
  }

  private static func format(_ name: String) -> String {
    switch name.suffix(3) {
    case "m4a": "ipod"
    case "pus": "opus"
    case "lac": "flac"
    case let ending: String(ending.drop { $0 == "." })
    }
  }

  @Test(arguments: [true, false])
  func `what the page records becomes a message as long and as loud`(isCoded: Bool) throws {
    let recording: [UInt8]
    if isCoded {
      var reader = OggReader(try made("a.opus", "-ar 48000 -ac 1 -f opus"))
      recording = reader.packets().dropFirst(2).reduce(into: Array(PageRecording.packets.utf8)) {
        $0 += [UInt8($1.count & 255), UInt8($1.count >> 8)] + $1
      }
    } else {
      recording =
        Array(PageRecording.samples.utf8) + (try made("a.raw", "-ar 16000 -ac 1 -f s16le"))
    }
    let clip = try imported(recording)
    #expect(abs(clip.milliseconds - 2000) < 40, "\(clip.milliseconds)")
    #expect(clip.peaks.count { (18...48).contains($0) } > 180)
    // Cut off, with a length that is not there, and with nothing.
    if isCoded {
      let damaged = ClipError.damaged(kind: "Opus")
      #expect(throws: damaged) { try imported(Array(recording.dropLast())) }
      #expect(throws: damaged) { try imported(recording + [0, 0]) }
      #expect(throws: damaged) { try imported(recording + [255, 255, 0]) }
      let long = recording.prefix(8) + (0..<700).flatMap { _ in [2, 0, 0x1B, 63] as [UInt8] }
      #expect(throws: damaged) { try imported(Array(long)) }
      let packets = recording.dropFirst(8)
      let eleven = recording.prefix(8) + (0..<330).flatMap { _ in packets }
      #expect(throws: ClipError.tooLong) { try imported(Array(eleven)) }
    }
    #expect(throws: ClipError.empty) { try imported(Array(recording.prefix(8))) }
  }

  @Test func `what is no audio, too large or too long is refused in words`() throws {
    #expect(throws: ClipError.empty) { try imported([]) }
    #expect(throws: ClipError.unknownKind) { try imported(Array("#!/bin/sh\nrm -rf /".utf8)) }
    #expect(throws: ClipError.tooLarge(byteCount: ClipLimits.fileBytes + 1)) {
      try imported([UInt8](repeating: 0, count: ClipLimits.fileBytes + 1))
    }
    // Eleven minutes in some kB.
    let long = try made("long.flac", seconds: 1, "-af volume=0,apad -t 660 -ar 8000 -f flac")
    #expect(long.count < 500_000)
    #expect(throws: ClipError.tooLong) { try imported(long) }
    for error: ClipError in [
      .tooLarge(byteCount: 11_000_000), .tooLong, .empty, .unknownKind, .damaged(kind: "MP3"),
      .tooMuch(kind: "M4A"), .missing(kind: "M4A", package: "ffmpeg"), .decoder(words: "x"),
    ] { #expect("\(error)".contains(":") || "\(error)".contains(";"), "\(error)") }
  }

  @Test func `a header that claims 10 GiB is worth what is there`() throws {
    var file = try made("a.wav", "-f wav")
    for place in 4..<8 { file[place] = 0xFF }
    let data = try #require((12..<200).first { file[$0...].starts(with: "data".utf8) })
    for place in data + 4..<data + 8 { file[place] = 0xFF }
    #expect(abs(try imported(file).milliseconds - 2000) < 5)
  }

  @Test(arguments: ["a.wav", "a.flac", "a.ogg", "a.opus", "a.mp3", "a.m4a"])
  func `what is cut off is refused, what was written into a pipe is not`(name: String) throws {
    let form = "-f \(Self.format(name))"
    let whole = try made(name, form)
    let damaged = ClipError.damaged(kind: try #require(AudioKind(of: whole)).rawValue)
    for part in [2, 5, 9] {
      let cut = Array(whole[..<(whole.count * part / 10)])
      #expect(throws: damaged, "\(part) tenths") { try imported(cut) }
    }
    // There the length is not known before the end, and what it stands for is no claim.
    let pieces = name == "a.m4a" ? "-movflags frag_keyframe+empty_moov" : ""
    let piped = try made("piped", "\(form) \(pieces) - >")
    #expect(abs(try imported(piped).milliseconds - 2000) < 90)
  }

  @Test func `an RF64 file of a second that claims 10 GiB is refused`() throws {
    var file = try made("a.wav", seconds: 1, "-rf64 always -f wav")
    #expect(abs(try imported(file).milliseconds - 1000) < 5)
    // ds64 is the first chunk: RIFF's length, then that of `data`, 64 bits each.
    try #require(file[12..<16].elementsEqual("ds64".utf8))
    file.replaceSubrange(28..<36, with: [0, 0, 0, 0x80, 2, 0, 0, 0])
    #expect(throws: ClipError.damaged(kind: "WAV")) { try imported(file) }
  }

  @Test(arguments: ["a.flac", "a.ogg", "a.m4a"])
  func `no kind's header makes more of a file than is there`(name: String) throws {
    var file = try made(name, seconds: 1, "-f \(Self.format(name))")
    func place(of word: String) throws -> Int {
      try #require((0..<file.count - 4).last { file[$0...].starts(with: word.utf8) })
    }
    func claim(_ places: Range<Int>) { for place in places { file[place] = 0xFF } }
    switch name.suffix(4) {
    case "flac":
      // The last 36 bits of STREAMINFO before its MD5: frames (RFC 9639 §8.2).
      file[21] |= 0x0F
      claim(22..<26)
    case ".ogg":
      // The last page's position (RFC 3533 §6).
      let page = try place(of: "OggS")
      claim(page + 6..<page + 13)
      file[page + 13] = 0x7F
      OggFile.mend(&file)
    default:
      for (box, offset) in [("mvhd", 20), ("mdhd", 20), ("tkhd", 24)] {
        let start = try place(of: box)
        claim(start + offset..<start + offset + 4)
      }
    }
    do throws(ClipError) {
      #expect(try imported(file).milliseconds <= 1100)
    } catch {
      #expect(error == .damaged(kind: AudioKind(of: file)?.rawValue ?? ""))
    }
  }

  @Test(arguments: ["a.wav", "a.flac", "a.ogg", "a.opus", "a.mp3", "a.m4a"])
  func `damaged files end in a message or in a refusal, in time`(name: String) throws {
    let file = try made(name, seconds: 1, "-f \(Self.format(name))")
    var random = SplitMix64(seed: 9)
    for round in 0..<(Seeds.areAll ? 2000 : 4) {
      var bad = file
      if round % 2 == 0 {
        bad.removeLast(Int.random(in: 1..<bad.count - 12, using: &random))
      } else {
        for _ in 0..<50 {
          bad[Int.random(in: 12..<bad.count, using: &random)] = .random(in: 0...255, using: &random)
        }
      }
      let start = ContinuousClock.now
      do throws(ClipError) {
        let clip = try imported(bad)
        #expect(clip.milliseconds <= 600_000)
      } catch {
        #expect(!error.description.isEmpty)
      }
      #expect(ContinuousClock.now - start < .seconds(40))
    }
  }

  @Test func `a decoder that is not there, or hangs, is told`() throws {
    let file = try made("a.wav", seconds: 0.2, "-f wav")
    let absent = ClipImport(program: "\(folder.path)/none")
    #expect {
      try absent.clip(of: file, vendor: "test")
    } throws: { error in
      "\(error)".contains("cannot be run")
    }
    // It answers nothing at all.
    #expect(throws: ClipError.damaged(kind: "WAV")) {
      try ClipImport(program: "/bin/false").clip(of: file, vendor: "test")
    }
  }

  @Test func `the decoder reaches no network, no file and no other process`() throws {
    let path = "\(folder.path)/secret"
    try Data("secret".utf8).write(to: URL(fileURLWithPath: path))
    let code = unsafe system("\(ClipImport.found()) check \(path) > /dev/null 2>&1")
    #expect(code == 0, "what it could do: \(code >> 8)")
    #expect(try Self.octets(path) == Array("secret".utf8))
  }
}
