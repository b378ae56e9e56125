import Captions
import Cryptography
import Foundation
import Testing

@testable import NodeDaemon

/// Transcripts on a disk.
@Suite struct TranscriptKeeperTests {
  private static let second: Int64 = 1_000_000_000
  private let folder: TestFolder
  private let node: NodeID
  private var desk: CaptionDesk
  private let hosted: HostedSessions
  private var keeper: TranscriptKeeper
  private let key: CaptionSessionKey

  init() throws {
    folder = try TestFolder()
    node = try #require(NodeID(octets: [UInt8](repeating: 7, count: 32)))
    let key = try PublicKey([UInt8](repeating: 7, count: PublicKey.byteCount))
    hosted = HostedSessions(instance: 1, signer: CaptionSigner(key: key) { _ in nil })
    desk = CaptionDesk(own: node, instance: 1)
    try desk.begin("line ../Stäge/\u{202E}\u{0} 1", nowNanoseconds: 0)
    self.key = try #require(desk.ownSession)
    keeper = TranscriptKeeper(folder: TranscriptFolder(path: "\(folder.path)/transcripts"))
  }

  private mutating func say(_ text: String, atSecond second: Int64, isFinal: Bool = true) {
    _ = desk.open(
      CaptionTalker(node: node, name: "Bo"), in: [],
      beganNanoseconds: second * Self.second,
      CaptionWords(text, durationMilliseconds: 900, isFinal: isFinal))
    keeper.note(key, nowNanoseconds: second * Self.second)
  }

  private var shelf: CaptionShelf {
    CaptionShelf(own: node, desk: desk, hosted: hosted) { _ in "A" }
  }

  @discardableResult
  private mutating func write(atSecond second: Int64, isLast: Bool = false) -> String? {
    let now = second * Self.second
    let jobs = keeper.jobs(of: shelf, nowNanoseconds: now, isLast: isLast)
    return keeper.take(jobs.map { (job: $0, outcome: $0.run()) }, nowNanoseconds: now)
  }

  private var names: [String] {
    let all = try? FileManager.default.contentsOfDirectory(atPath: keeper.folder.path)
    return (all ?? []).sorted()
  }

  private func text(_ end: String = "txt", suffix: String = "") -> String {
    let path = "\(keeper.folder.path)/\(key.text)_line-stäge-1\(suffix).\(end)"
    return (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  @Test mutating func `a session has a file of each format, and names are safe`() {
    say("Hello", atSecond: 1)
    write(atSecond: 2)
    #expect(names.isEmpty, "its history may still come")
    write(atSecond: 6)
    #expect(names == ["jsonl", "srt", "txt", "vtt"].map { "\(key.text)_line-stäge-1.\($0)" })
    say("And on", atSecond: 7)
    write(atSecond: 8)
    #expect(text().hasSuffix("\n\n00:00:01  Bo: Hello\n00:00:07  Bo: And on\n"))
    #expect(text("srt").contains("2\n00:00:07,000 --> 00:00:08,000\nBo: And on\n\n"))
    #expect(text("vtt").hasPrefix("WEBVTT") && text("jsonl").split(separator: "\n").count == 3)
    #expect(!keeper.isDirty)
  }

  @Test mutating func `what is said waits for what began before it, but not at the end`() throws {
    say("I am", atSecond: 1, isFinal: false)
    say("Yes", atSecond: 2)
    write(atSecond: 9)
    #expect(names.isEmpty)
    try desk.end()
    keeper.note(key, nowNanoseconds: 10 * Self.second)
    write(atSecond: 10, isLast: true)
    #expect(text().hasSuffix("00:00:01  Bo: I am\n00:00:02  Bo: Yes\n"))
  }

  @Test mutating func `a file that somebody removed or changed is written anew`() throws {
    say("One", atSecond: 1)
    write(atSecond: 6)
    try FileManager.default.removeItem(
      atPath: "\(keeper.folder.path)/\(key.text)_line-stäge-1.srt")
    say("Two", atSecond: 7)
    write(atSecond: 8)
    write(atSecond: 12)
    for end in ["txt", "srt", "vtt", "jsonl"] {
      #expect(text(end).components(separatedBy: "One").count == 2, "\(end)")
      #expect(text(end).components(separatedBy: "Two").count == 2, "\(end)")
    }
  }

  @Test mutating func `a folder that cannot be written is told once, and then nothing is missing`()
    throws
  {
    let path = keeper.folder.path
    try Data().write(to: URL(filePath: path))
    say("One", atSecond: 1)
    let problem = try #require(write(atSecond: 6))
    #expect(problem.contains("Not a directory") && problem.contains("choose a folder"))
    #expect(keeper.problem == problem)
    #expect(write(atSecond: 8) == nil && write(atSecond: 17) == nil)
    #expect(keeper.problem == problem && keeper.isDirty)
    try FileManager.default.removeItem(atPath: path)
    say("Two", atSecond: 18)
    #expect(write(atSecond: 28) == nil && keeper.problem == nil)
    #expect(text().hasSuffix("00:00:01  Bo: One\n00:00:18  Bo: Two\n"))
  }

  @Test mutating func `a link in a file's place is not followed, but told, and then replaced`()
    throws
  {
    let other = "\(folder.path)/other"
    try Data("mine".utf8).write(to: URL(filePath: other))
    say("One", atSecond: 1)
    write(atSecond: 6)
    let name = "\(key.text)_line-stäge-1.srt"
    try FileManager.default.removeItem(atPath: "\(keeper.folder.path)/\(name)")
    try FileManager.default.createSymbolicLink(
      atPath: "\(keeper.folder.path)/\(name)", withDestinationPath: other)
    say("Two", atSecond: 7)
    #expect(write(atSecond: 8) != nil)
    write(atSecond: 20)
    #expect(text("srt").contains("Two") && keeper.problem == nil)
    #expect(try String(contentsOfFile: other, encoding: .utf8) == "mine")
  }

  @Test mutating func `what a former run wrote is not replaced by less`() {
    say("A long story of the former run, which is not known any more", atSecond: 1)
    write(atSecond: 6)
    let former = text()
    // Another run, of the same session.
    desk = CaptionDesk(own: node, instance: 1)
    try? desk.begin("line ../Stäge/\u{202E}\u{0} 1", nowNanoseconds: 0)
    #expect(desk.ownSession == key)
    keeper = TranscriptKeeper(folder: keeper.folder)
    say("Short", atSecond: 1)
    write(atSecond: 6)
    #expect(text() == former && text(suffix: "-2").hasSuffix("Bo: Short\n"))
    keeper = TranscriptKeeper(folder: keeper.folder)
    say("A long story that is longer than that of the former run, by a sentence", atSecond: 7)
    write(atSecond: 12)
    #expect(text().contains("by a sentence") && text().contains("Short"))
  }

  @Test mutating func `who changes what was settled makes nobody write all day`() {
    say("One", atSecond: 1)
    for number in 0..<2000 { say("sentence \(number)", atSecond: 2) }
    write(atSecond: 6)
    // Something earlier came late.
    say("Zero", atSecond: 0)
    write(atSecond: 7)
    #expect(!text().contains("Zero") && keeper.isDirty)
    write(atSecond: 12)
    #expect(text().contains("00:00:00  Bo: Zero\n00:00:01  Bo: One\n"))
  }
}
