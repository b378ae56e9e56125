import Captions
import Cryptography
import Foundation
import Logging
import Messages
import Remote
import StatusSchema
import Testing

@testable import NodeDaemon

/// Captions that a user wants kept, from what is said to what is found.
@Suite struct CaptionKeepingTests {
  private static let second: Int64 = 1_000_000_000
  private static let unix: Int64 = 1_800_000_000_000
  private let folder: TestFolder
  private let node: NodeID
  private var desk: CaptionDesk
  private let hosted: HostedSessions
  private var keeping: CaptionKeeping

  init() throws {
    folder = try TestFolder()
    node = try #require(NodeID(octets: [UInt8](repeating: 7, count: 32)))
    let key = try PublicKey([UInt8](repeating: 7, count: PublicKey.byteCount))
    hosted = HostedSessions(instance: 1, signer: CaptionSigner(key: key) { _ in nil })
    desk = CaptionDesk(own: node, instance: 1)
    try desk.begin("line stage", nowNanoseconds: 0)
    keeping = CaptionKeeping(
      CaptionArchive(directory: folder.path, log: Logger(label: "test")), days: 30)
  }

  private mutating func say(_ text: String, atSecond second: Int64, isFinal: Bool = true) throws {
    _ = desk.open(
      CaptionTalker(node: node, name: "Bo", role: "desk", colourRGB: 0xFF8000), in: [],
      beganNanoseconds: second * Self.second,
      CaptionWords(text, durationMilliseconds: 900, isFinal: isFinal))
    keeping.note(try #require(desk.ownSession))
  }

  private mutating func write(atSecond second: Int64) async {
    let now = second * Self.second
    let shelf = CaptionShelf(own: node, desk: desk, hosted: hosted) { _ in "A" }
    let pages = keeping.pages(
      of: shelf, nowNanoseconds: now, unixMilliseconds: Self.unix + second * 1000)
    let areWritten = await keeping.archive.keep(pages)
    keeping.take(pages, areWritten: areWritten, nowNanoseconds: now)
  }

  private func found(_ words: String?) async -> [String] {
    var query = CaptionQuery()
    (query.search, query.isKept) = (words, true)
    return await keeping.archive.speech(query).map(\.text)
  }

  @Test mutating func `what stays is kept once, with who said it and when, and found by its words`()
    async throws
  {
    #expect(await found(nil).isEmpty)
    try say("Stand by on cue ten", atSecond: 3)
    try say("and the", atSecond: 5, isFinal: false)
    await write(atSecond: 6)
    await write(atSecond: 7)
    #expect(await found(nil) == ["Stand by on cue ten"])
    try desk.end()
    keeping.note(try #require(desk.ownSession))
    await write(atSecond: 8)
    #expect(await found("the") == ["and the"])
    var query = CaptionQuery()
    query.search = "cue"
    let chunk = try #require(await keeping.archive.speech(query).first)
    #expect(chunk.talker == "Bo" && chunk.role == "desk" && chunk.colour == "ff8000")
    #expect(chunk.unixSeconds == Double(Self.unix) / 1000 + 3 && chunk.isFinal)
    #expect(chunk.session == desk.ownSession?.text)
  }

  @Test mutating func `there is no file until somebody wants one, and after off nothing is found`()
    async throws
  {
    let path = "\(folder.path)/captions.db"
    #expect(await found("any").isEmpty)
    #expect(try await keeping.archive.removeAll() == 0)
    #expect(!FileManager.default.fileExists(atPath: path))
    try say("Stand by", atSecond: 3)
    await write(atSecond: 4)
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try await keeping.archive.removeAll() == 1)
    keeping.forgetAll()
    #expect(await found(nil).isEmpty)
    #expect(!keeping.isDirty)
  }

  @Test mutating func `a file that is damaged is set aside, and transcripts go on`() async throws {
    let path = "\(folder.path)/captions.db"
    try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: path))
    try say("Stand by", atSecond: 3)
    await write(atSecond: 4)
    #expect(await found(nil) == ["Stand by"])
    #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
  }

  @Test mutating func `what cannot be kept is told, and tried again`() async throws {
    keeping = CaptionKeeping(
      CaptionArchive(directory: "\(folder.path)/not/there", log: Logger(label: "test")), days: 30)
    try say("Stand by", atSecond: 3)
    await write(atSecond: 4)
    #expect(await keeping.archive.problem?.hasPrefix("transcripts are not kept: ") == true)
    #expect(keeping.isDirty)
    try FileManager.default.createDirectory(
      atPath: "\(folder.path)/not/there", withIntermediateDirectories: true)
    await write(atSecond: 9)
    #expect(await found(nil).isEmpty, "it waits ten seconds")
    await write(atSecond: 15)
    #expect(await found(nil) == ["Stand by"])
    #expect(await keeping.archive.problem == nil)
    #expect(!keeping.isDirty)
  }
}
