import Audio
import Foundation
import Glibc
import Testing

@testable import Recording

/// A take between tapes and files, in as much time as it takes.
@Suite struct TakeTests {
  static let rate = 48_000
  let folder: TestFolder
  let labels = TakeLabels(
    nodeName: "home", software: "comlink test", moment: "2026-11-22_14.33.05", serial: 1)

  init() throws { folder = try TestFolder() }

  func settings(_ format: RecordingFormat = .wav) -> TakeSettings {
    var settings = TakeSettings(directory: folder.path)
    settings.format = format
    settings.keptFreeBytes = 0
    return settings
  }

  func deck(mix: Bool = false) throws -> TapeDeck {
    try TapeDeck(sampleRate: Self.rate, keepsTalkers: true, keepsMix: mix)
  }

  func sound(_ name: String) throws -> [[Float]] {
    let bytes = try folder.bytes("\(labels.moment)/\(name).wav")
    return try #require(WAVSound(bytes)).frames
  }

  /// A sound that says where it is.
  func ramp(_ range: Range<Int>, scale: Float = 1) -> [Float] {
    range.map { scale * Float($0 % 4096) / 8192 }
  }

  @Test func `files begin together, whenever their talkers came`() throws {
    let deck = try deck()
    let take = try Take(settings(), labels: labels, deck: deck)
    let home = try #require(deck.claim(for: "home"))
    home.write(ramp(0..<100_000).span, at: 0, floor: 0)
    deck.publish(100_000)
    try take.advance()
    let late = try #require(deck.claim(for: "late"))
    late.write(ramp(120_000..<150_000).span, at: 120_000, floor: 100_000)
    deck.publish(150_000)
    try take.advance()
    try take.finish()
    let (first, second) = (try sound("home")[0], try sound("late")[0])
    #expect(first.count == 150_000 && second.count == 150_000)
    #expect(first[..<100_000].elementsEqual(ramp(0..<100_000)))
    #expect(first[100_000...].allSatisfy { $0 == 0 })
    #expect(second[..<120_000].allSatisfy { $0 == 0 })
    #expect(second[120_000...].elementsEqual(ramp(120_000..<150_000)))
  }

  /// A disk that stands still for longer than the tapes last.
  @Test func `what finds no place is counted, and the rest stays where it belongs`() throws {
    let deck = try deck()
    let take = try Take(settings(), labels: labels, deck: deck)
    let tape = try #require(deck.claim(for: "home"))
    let capacity = tape.capacityFrames
    let end = capacity + 50_000
    for start in stride(from: 0, to: end, by: 480) {
      tape.write(ramp(start..<start + 480).span, at: Int64(start), floor: Int64(start))
      deck.publish(Int64(start))
    }
    #expect((50_000 - 480...50_000 + 480).contains(deck.lostFrames))
    try take.advance()
    for start in stride(from: end / 480 * 480 + 480, to: end + 48_000, by: 480) {
      tape.write(ramp(start..<start + 480).span, at: Int64(start), floor: Int64(start))
      deck.publish(Int64(start))
    }
    try take.advance()
    try take.finish()
    let frames = try sound("home")[0]
    #expect(frames[..<capacity].elementsEqual(ramp(0..<capacity)))
    #expect(frames[(capacity + 480)..<end].allSatisfy { $0 == 0 })
    #expect(frames.last == ramp(frames.count - 1..<frames.count)[0])
  }

  @Test func `the mix has two sides and stays below full scale`() throws {
    let deck = try deck(mix: true)
    let take = try Take(settings(), labels: labels, deck: deck)
    let mix = try #require(deck.mix)
    let pcm = ramp(0..<48_000)
    mix.left.add(pcm.span, gain: 1, step: 0, at: 0, floor: 0)
    mix.left.add(pcm.span, gain: 2, step: 0, at: 0, floor: 0)
    mix.right.add(pcm.span, gain: 0.5, step: 0, at: 0, floor: 0)
    deck.publish(48_000)
    try take.advance()
    try take.finish()
    let sides = try sound("mix")
    #expect(
      abs(sides[0][1000] - 3 * pcm[1000]) < 1e-6 && abs(sides[1][1000] - pcm[1000] / 2) < 1e-6)
    #expect(sides[0].max() ?? 1 < 1 && sides[0].max() ?? 0 > 0.9)
  }

  @Test func `a bus has a file of one channel, beside the mix`() throws {
    let deck = try TapeDeck(
      sampleRate: Self.rate, keepsTalkers: false, keepsMix: true,
      buses: [("bus_foh", MixBus.patched[0])])
    let take = try Take(settings(), labels: labels, deck: deck)
    deck.buses[0].tape.write(ramp(0..<48_000).span, at: 0, floor: 0)
    deck.publish(48_000)
    try take.advance()
    try take.finish()
    #expect(try sound("bus_foh").map(\.count) == [48_000])
    #expect(try sound("bus_foh")[0].elementsEqual(ramp(0..<48_000)))
    #expect(try sound("mix").count == 2)
  }

  @Test func `files are the owner's and the group's, and named after whoever it may be`() throws {
    let deck = try deck(mix: true)
    let take = try Take(settings(), labels: labels, deck: deck)
    for name in ["../../etc/passwd", "Mix", "anna", "Anna", ".", "a\u{202E}b", "", "/\u{301}x"] {
      _ = try #require(deck.claim(for: name))
      try take.advance()
      try deck.giveBack(before: 0)
    }
    try take.finish()
    let names = try FileManager.default.contentsOfDirectory(atPath: take.path).sorted()
    #expect(
      Set(names) == [
        "mix.wav", "_.._etc_passwd.wav", "Mix-2.wav", "anna.wav", "Anna-2.wav", "unnamed.wav",
        "a_b.wav", "unnamed-2.wav", "_x.wav",
      ])
    for name in names {
      let facts = try FileManager.default.attributesOfItem(atPath: "\(take.path)/\(name)")
      #expect(facts[.posixPermissions] as? Int == 0o640)
    }
  }

  @Test func `a second take in the same second gets a folder of its own`() throws {
    let first = try Take(settings(), labels: labels, deck: deck(mix: true))
    let second = try Take(settings(), labels: labels, deck: deck(mix: true))
    #expect(second.path == first.path + "-2")
  }

  // MARK: Bounds

  /// Runs a take of one talker second by second until it refuses.
  private func run(
    _ take: Take, _ deck: TapeDeck, seconds: Int, each: (Int) throws -> Void = { _ in }
  ) -> RecordingError? {
    guard let tape = deck.claim(for: "home") else { return nil }
    let noise = (0..<Self.rate).map { _ in Float.random(in: -0.5...0.5) }
    for second in 0..<seconds {
      let start = Int64(second * Self.rate)
      tape.write(noise.span, at: start, floor: start)
      deck.publish(start + Int64(Self.rate))
      do {
        try each(second)
        try take.advance()
      } catch {
        return error as? RecordingError
      }
    }
    return nil
  }

  @Test(arguments: RecordingFormat.allCases)
  func `all files together stay below the limit`(format: RecordingFormat) throws {
    var settings = settings(format)
    settings.maximumBytes = 1_000_000
    let deck = try deck(mix: true)
    let take = try Take(settings, labels: labels, deck: deck)
    #expect(run(take, deck, seconds: 600) == .sizeLimit(bytes: 1_000_000))
    try take.finish()
    #expect(take.byteCount <= 1_000_000 && take.byteCount > 300_000)
  }

  @Test func `for how long there is room is told by what is less, size or disk`() throws {
    var settings = settings()
    settings.maximumBytes = 100 * 3 * Self.rate
    let deck = try deck()
    let take = try Take(settings, labels: labels, deck: deck)
    #expect(run(take, deck, seconds: 10) == nil)
    #expect((89...91).contains(try #require(take.secondsLeft)))
  }

  @Test func `silence for a talker who comes late counts, too`() throws {
    var settings = settings()
    settings.maximumBytes = 1_000_000
    let deck = try deck()
    let take = try Take(settings, labels: labels, deck: deck)
    #expect(run(take, deck, seconds: 4) == nil)
    _ = try #require(deck.claim(for: "late"))
    #expect(throws: RecordingError.sizeLimit(bytes: 1_000_000)) { try take.advance() }
  }

  @Test func `a disk with less room than is to stay free is not begun on`() throws {
    var settings = settings()
    settings.keptFreeBytes = .max
    #expect(throws: RecordingError.self) { try Take(settings, labels: labels, deck: deck()) }
  }

  @Test func `a folder that goes away ends the take`() throws {
    let deck = try deck()
    let take = try Take(settings(), labels: labels, deck: deck)
    let error = run(take, deck, seconds: 5) { second in
      if second == 2 { try FileManager.default.removeItem(atPath: take.path) }
    }
    #expect(error == .folderGone(path: take.path))
  }

  @Test func `a folder that is not there is not made`() throws {
    var settings = settings()
    settings.directory += "/not-mounted"
    let error = #expect(throws: RecordingError.self) {
      try Take(settings, labels: labels, deck: deck())
    }
    #expect("\(error!)".contains("No such file or directory"))
  }

  /// Whoever may have put them there.
  @Test func `a talker whose file cannot be made costs only that talker's sound`() throws {
    let deck = try deck(mix: true)
    let take = try Take(settings(), labels: labels, deck: deck)
    for number in 1...200 {
      let name = number == 1 ? "late.wav" : "late-\(number).wav"
      try FileManager.default.createDirectory(
        atPath: "\(take.path)/\(name)", withIntermediateDirectories: false)
    }
    let home = try #require(deck.claim(for: "home"))
    let late = try #require(deck.claim(for: "late"))
    let pcm = ramp(0..<48_000)
    home.write(pcm.span, at: 0, floor: 0)
    late.write(pcm.span, at: 0, floor: 0)
    deck.publish(48_000)
    try take.advance()
    try take.finish()
    #expect(try sound("home")[0].elementsEqual(pcm))
    #expect(try sound("mix")[0].count == 48_000)
    #expect(take.failures.map(\.name) == ["late"] && take.fileCount == 2)
    #expect("\(try #require(take.failures.first).error)".contains("File exists"))
  }

  @Test func `a start that is refused leaves nothing behind`() throws {
    var small = settings()
    small.maximumBytes = 1000
    var full = settings()
    full.keptFreeBytes = .max
    for settings in [small, full] {
      #expect(throws: RecordingError.self) {
        try Take(settings, labels: labels, deck: deck(mix: true))
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }

  @Test func `a file that can grow no further ends, and the others go on`() async {
    // The limit is a whole process's.
    await #expect(processExitsWith: .success) { try TakeTests().growBeyondTheLimit() }
  }

  /// As FAT does at 4 GiB: the mix, of two channels, gets there first.
  private func growBeyondTheLimit() throws {
    // Else the kernel would end this process.
    signal(SIGXFSZ, SIG_IGN)
    var small = rlimit(rlim_cur: 1_000_000, rlim_max: 1_000_000)
    _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &small)
    let deck = try deck(mix: true)
    let take = try Take(settings(), labels: labels, deck: deck)
    #expect(run(take, deck, seconds: 6) == nil)
    try take.finish()
    #expect(take.failures.map(\.name) == ["mix"])
    #expect(try sound("home")[0].count == 6 * Self.rate)
    // What was saved of the mix can be read.
    let mix = try folder.bytes("\(labels.moment)/mix.wav")
    let saved = Array(mix.prefix(WAVHeader.byteCount + mix.number(at: 76, 4)))
    #expect(try #require(WAVSound(saved)).frames[0].count >= 2 * Self.rate)
    #expect(take.byteCount > 900_000 + 6 * 3 * Self.rate, "what failed has its size, too")
  }

  @Test func `where no file is left the take ends`() throws {
    let deck = try deck()
    let take = try Take(settings(), labels: labels, deck: deck)
    for number in 1...100 {
      let name = number == 1 ? "home.wav" : "home-\(number).wav"
      try FileManager.default.createDirectory(
        atPath: "\(take.path)/\(name)", withIntermediateDirectories: false)
    }
    #expect(run(take, deck, seconds: 2) != nil)
  }
}
