import Assistant
import Foundation
import Glibc
import Testing

@testable import Journal

@Suite struct SessionJournalTests {
  private static let day: Int64 = 86_400_000

  private static func session(_ id: String, of caller: String = "", at started: Int64 = 1000)
    -> AssistantSession
  {
    AssistantSession(id: id, caller: caller, context: .node, startedUnixMilliseconds: started)
  }

  private static func turn(_ text: String, isInterrupted: Bool = false) -> SessionTurn {
    SessionTurn(.assistant, text, unixMilliseconds: 5, isInterrupted: isInterrupted)
  }

  @Test func `a session comes back as it was kept`() throws {
    let folder = try JournalFolder()
    var kept = Self.session("one", of: "anna")
    do {
      let journal = try SessionJournal(path: folder.path)
      try journal.keep(kept)
      try journal.add(Self.turn("Hello — ü"), to: "one")
      try journal.add(Self.turn("Bye", isInterrupted: true), to: "one")
      #expect(try journal.session("one") == kept)
      kept.endedUnixMilliseconds = 9000
      kept.digest = SessionDigest(title: "Greeting", summary: "")
      try journal.keep(kept)
      try journal.add(Self.turn("lost"), to: "two")
    }
    let journal = try SessionJournal(path: folder.path)
    #expect(try journal.session("one") == kept)
    #expect(
      try journal.turns(of: "one") == [
        Self.turn("Hello — ü"), Self.turn("Bye", isInterrupted: true),
      ])
    #expect(try journal.turns(of: "two").isEmpty)
  }

  @Test func `sessions are listed by caller, the newest first`() throws {
    let journal = try SessionJournal(path: nil)
    for (id, caller, time) in [("a", "x", 1), ("b", "y", 3), ("c", "x", 2)] {
      try journal.keep(Self.session(id, of: caller, at: Int64(time)))
    }
    #expect(try journal.sessions(of: nil, limit: 9).map(\.id) == ["b", "c", "a"])
    #expect(try journal.sessions(of: "x", limit: 1).map(\.id) == ["c"])
    #expect(try journal.deleteAll(of: "x") == 2)
    #expect(try journal.sessions(of: nil, limit: 9).map(\.id) == ["b"])
  }

  @Test func `what is too old goes, with what was said`() throws {
    let journal = try SessionJournal(path: nil)
    var old = Self.session("old", at: 0)
    old.endedUnixMilliseconds = 10 * Self.day
    try journal.keep(old)
    try journal.keep(Self.session("new", at: 20 * Self.day))
    try journal.add(Self.turn("secret"), to: "old")
    #expect(try journal.prune(days: 15, unixMilliseconds: 20 * Self.day) == 0)
    #expect(try journal.prune(days: 5, unixMilliseconds: 20 * Self.day) == 1)
    #expect(try journal.turns(of: "old").isEmpty)
    #expect(try journal.sessions(of: nil, limit: 9).map(\.id) == ["new"])
  }

  /// By the C library: what Foundation reads of a special file, as -shm is one, it does not free.
  private func octets(of path: String) -> Data {
    guard let file = unsafe fopen(path, "rb") else { return Data() }
    defer { unsafe fclose(file) }
    var (all, block) = (Data(), [UInt8](repeating: 0, count: 65_536))
    while case let count = unsafe fread(&block, 1, block.count, file), count > 0 {
      all += block[..<count]
    }
    return all
  }

  @Test(arguments: ["one", "all", "withdraw"])
  func `what is deleted is in no file any more`(how: String) throws {
    let folder = try JournalFolder()
    let journal = try SessionJournal(path: folder.path)
    let secret = "the password is Mellon"
    try journal.keep(
      Consent(caller: "", destination: "http://h", keeps: true, unixMilliseconds: 1))
    try journal.keep(Self.session("one"))
    for _ in 0..<50 { try journal.add(Self.turn(secret), to: "one") }
    func isThere() -> Bool {
      ["", "-wal", "-shm"].contains {
        octets(of: folder.path + $0).range(of: Data(secret.utf8)) != nil
      }
    }
    #expect(isThere())
    switch how {
    case "one":
      #expect(try journal.delete("one"))
      #expect(try !journal.delete("one"))
    case "all": #expect(try journal.deleteAll(of: nil) == 1)
    default: try journal.withdraw("")
    }
    #expect(!isThere())
    #expect(try (journal.consent(of: "") == nil) == (how == "withdraw"))
  }

  @Test func `an agreement is the caller's, and the last one holds`() throws {
    let journal = try SessionJournal(path: nil)
    var consent = Consent(caller: "anna", destination: "http://h", keeps: true, unixMilliseconds: 1)
    try journal.keep(consent)
    consent.keeps = false
    try journal.keep(consent)
    #expect(try journal.consent(of: "anna") == consent)
    #expect(try journal.consent(of: "bert") == nil)
  }
}
