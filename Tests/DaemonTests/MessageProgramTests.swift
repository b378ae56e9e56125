import Foundation
import Testing

/// Messages between daemons as a user has them: two processes, one of which goes and comes back.
@Suite(.timeLimit(.minutes(2))) struct MessageProgramTests {
  private let folder: TestFolder
  private let ports: [Int]

  init() throws {
    folder = try TestFolder()
    ports = try (0..<2).map { _ in try Self.freePort() }
  }

  /// A port of the loopback that nobody has.
  static func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout.size(ofValue: address))
    let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(descriptor, pointer, size) == 0
          ? unsafe getsockname(descriptor, pointer, &size) : -1
      }
    }
    try #require(code == 0)
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private func started(_ name: String, _ index: Int) async throws -> Program {
    let daemon = try Program(
      "comlinkd",
      [
        "--control", "\(folder.path)/\(name).sock", "--listen", "127.0.0.1:\(ports[index])",
        "--peer", "127.0.0.1:\(ports[1 - index])", "--state", "\(folder.path)/\(name).state",
        "--name", name, "--jack-server", "none-\(ports[0])",
      ])
    while !daemon.complaint.contains("comlinkd: ready ") {
      try #require(daemon.isRunning, "\(daemon.complaint)")
      try await Task.sleep(for: .milliseconds(10))
    }
    return daemon
  }

  private func end(_ daemon: Program, by signal: Int32 = SIGTERM) async throws {
    kill(daemon.identifier, signal)
    _ = try await daemon.outcome()
  }

  private func comlink(_ name: String, _ arguments: [String]) async throws -> Program.Outcome {
    try await Program.run("comlink", arguments + ["--control", "\(folder.path)/\(name).sock"])
  }

  /// Asks until an output is as wanted; how long that took.
  private func wait(
    _ name: String, _ arguments: [String], within seconds: Double,
    until isWanted: (String) -> Bool
  ) async throws -> Duration {
    let start = ContinuousClock.now
    var last = ""
    while ContinuousClock.now - start < .seconds(seconds) {
      last = try await comlink(name, arguments).output
      if isWanted(last) { return ContinuousClock.now - start }
      try await Task.sleep(for: .milliseconds(100))
    }
    Issue.record("\(name): \(arguments.joined(separator: " ")) prints: \(last)")
    return ContinuousClock.now - start
  }

  @Test func `a message finds who was away within seconds of its return, once and in order`()
    async throws
  {
    let a = try await started("anna", 0)
    var b = try await started("bert", 1)
    let invitation = try await comlink("anna", ["group", "new", "crew", "--no-qr"]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    _ = try await comlink("bert", ["group", "join", invitation])
    // Until both are members and know each other's keys, there is nobody to write to.
    while try await comlink("anna", ["say", "bert", "are you there?"]).code != 0 {
      try await Task.sleep(for: .milliseconds(200))
    }
    _ = try await wait("bert", ["messages", "--keep-unread"], within: 20) {
      $0.contains("anna: are you there?")
    }
    try await end(b, by: SIGKILL)
    for number in 1...5 {
      let said = try await comlink("anna", ["say", "group", "call", "\(number)"])
      #expect(said.code == 0, "\(said.complaint)")
    }
    let waiting = try await comlink("anna", ["messages", "--with", "group"]).output
    #expect(waiting.contains("you → group:crew: call 5") && waiting.contains("(waiting for bert)"))

    b = try await started("bert", 1)
    let back = ContinuousClock.now
    _ = try await wait("bert", ["messages", "--with", "group"], within: 20) {
      $0.contains("call 5")
    }
    // Five seconds on an idle machine: the rest is what this one takes to start a program.
    #expect(ContinuousClock.now - back < .seconds(10))
    let shown = try await comlink("bert", ["messages", "--with", "group", "--json"]).output
    let texts = shown.matches(of: /"text":"(call [0-9])"/).map { String($0.output.1) }
    #expect(texts == (1...5).map { "call \($0)" })
    _ = try await wait("anna", ["messages", "--with", "group"], within: 20) {
      $0.contains("call 5\n    (read by bert)")
    }
    let found = try await comlink("bert", ["messages", "--search", "THERE"]).output
    #expect(found.contains("are you"))
    #expect(try await comlink("bert", ["messages", "clear"]).output.hasSuffix("deleted here\n"))
    #expect(try await comlink("bert", ["messages"]).output.isEmpty)
    for daemon in [a, b] { #expect(!daemon.complaint.contains("are you there")) }
    try await end(a)
    try await end(b)
  }

  @Test func `a line is a conversation of those who are on it, and of who was when it went`()
    async throws
  {
    let a = try await started("anna", 0)
    var b = try await started("bert", 1)
    let invitation = try await comlink("anna", ["group", "new", "crew", "--no-qr"]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    _ = try await comlink("bert", ["group", "join", invitation])
    #expect(try await comlink("anna", ["line", "new", "Stage"]).code == 0)
    #expect(try await comlink("anna", ["say", "stage", "x"]).complaint.contains("nobody else"))
    while try await comlink("bert", ["line", "join", "stage"]).code != 0 {
      try await Task.sleep(for: .milliseconds(200))
    }
    while try await comlink("anna", ["say", "STAGE", "cue", "4"]).code != 0 {
      try await Task.sleep(for: .milliseconds(200))
    }
    _ = try await wait("bert", ["messages", "--line", "Stage", "--keep-unread"], within: 20) {
      $0.contains("anna \u{2192} line:stage: cue 4")
        || $0.contains("anna \u{2192} line:Stage: cue 4")
    }
    #expect(try await comlink("bert", ["messages", "--with", "anna"]).output.isEmpty)
    try await end(b, by: SIGKILL)
    #expect(try await comlink("anna", ["say", "line:stage", "cue", "5"]).code == 0)
    b = try await started("bert", 1)
    _ = try await wait("bert", ["messages", "--with", "line:stage", "-n", "1"], within: 20) {
      $0.contains("cue 5")
    }
    _ = try await wait("anna", ["messages", "--line", "stage"], within: 20) {
      $0.contains("cue 5\n    (read by bert)")
    }
    // What is called like a line and a member is neither, unless it is said which.
    _ = try await comlink("anna", ["line", "new", "bert"])
    let both = try await comlink("anna", ["say", "bert", "x"])
    #expect(both.code == 65 && both.complaint.contains("say line:bert"), "\(both.complaint)")
    _ = try await comlink("anna", ["line", "new", "board", "--private"])
    _ = try await comlink("anna", ["line", "add", "board", "bert"])
    while try await comlink("bert", ["line", "join", "board"]).code != 0 {
      try await Task.sleep(for: .milliseconds(200))
    }
    while try await comlink("bert", ["say", "board", "between", "us"]).code != 0 {
      try await Task.sleep(for: .milliseconds(200))
    }
    _ = try await wait("anna", ["messages", "--line", "board"], within: 20) {
      $0.contains("bert \u{2192} line:board: between us")
    }
    _ = try await comlink("bert", ["line", "leave", "board"])
    let left = try await comlink("bert", ["say", "line:board", "x"])
    #expect(left.code == 65 && left.complaint.contains("not on line board"), "\(left.complaint)")
    #expect(try await comlink("bert", ["messages", "--line", "board"]).output.contains("between"))
    #expect(try await comlink("anna", ["messages", "--with", "a", "--line", "b"]).code != 0)
    try await end(a)
    try await end(b)
  }

  @Test func `an own text is edited and a sign set, for all who have the message`() async throws {
    let a = try await started("anna", 0)
    let b = try await started("bert", 1)
    let invitation = try await comlink("anna", ["group", "new", "crew", "--no-qr"]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    _ = try await comlink("bert", ["group", "join", invitation])
    while try await comlink("anna", ["say", "all", "cue", "4"]).code != 0 {
      try await Task.sleep(for: .milliseconds(200))
    }
    _ = try await wait("bert", ["messages"], within: 20) { $0.contains("cue 4") }
    #expect(try await comlink("anna", ["say", "--edit", "1", "cue", "fourteen"]).code == 0)
    _ = try await wait("bert", ["messages", "--search", "fourteen"], within: 20) {
      $0.contains("(edited): cue fourteen")
    }
    #expect(try await comlink("bert", ["messages", "react", "1", "\u{1F44D}"]).code == 0)
    _ = try await wait("anna", ["messages", "--json"], within: 20) {
      $0.contains(#""name":"bert","sign":"\#u{1F44D}""#) || $0.contains(#""sign":"\#u{1F44D}""#)
    }
    _ = try await comlink("bert", ["messages", "react", "1", "none"])
    _ = try await wait("anna", ["messages", "--json"], within: 20) { !$0.contains("reactions") }
    for (arguments, words) in [
      (["say", "--edit", "1", "x"], "only an own text"),
      (["messages", "react", "99", "x"], "no message 99"),
      (["messages", "react", "1", "seventeen letters"], "at most 16 bytes"),
    ] {
      let outcome = try await comlink("bert", arguments)
      #expect(outcome.code == 65 && outcome.complaint.contains(words), "\(outcome.complaint)")
    }
    try await end(a)
    try await end(b)
  }

  @Test func `a line of which nothing is kept is shown once, and gone after a restart`()
    async throws
  {
    let a = try await started("anna", 0)
    var b = try await started("bert", 1)
    let invitation = try await comlink("anna", ["group", "new", "crew", "--no-qr"]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    _ = try await comlink("bert", ["group", "join", invitation])
    while try await comlink("anna", ["say", "all", "cue", "4"]).code != 0 {
      try await Task.sleep(for: .milliseconds(200))
    }
    for (words, note) in [
      (["all", "3"], "for 3 days"), (["all"], "for 3 days"), (["all", "none"], "not kept once"),
    ] {
      let answer = try await comlink("bert", ["messages", "keep"] + words)
      #expect(answer.output.contains(note), "\(answer)")
    }
    let wrong = try await comlink("bert", ["messages", "keep", "all", "0"])
    #expect(wrong.code == 65 && wrong.complaint.contains("from 1 to 3650"))
    _ = try await wait("bert", ["messages", "--line", "all"], within: 20) { $0.contains("cue 4") }
    try await end(b)
    b = try await started("bert", 1)
    #expect(try await comlink("bert", ["messages"]).output.isEmpty)
    #expect(try await comlink("bert", ["messages", "keep", "all"]).output.contains("not kept"))
    #expect(try await comlink("bert", ["messages", "keep", "all", "default"]).code == 0)
    #expect(try await comlink("anna", ["messages"]).output.contains("cue 4"))
    try await end(a)
    try await end(b)
  }

  @Test func `a voice message from a file reaches who was away, and is saved there`() async throws {
    let a = try await started("anna", 0)
    var b = try await started("bert", 1)
    let invitation = try await comlink("anna", ["group", "new", "crew", "--no-qr"]).output
      .trimmingCharacters(in: .whitespacesAndNewlines)
    _ = try await comlink("bert", ["group", "join", invitation])
    while try await comlink("anna", ["say", "bert", "are you there?"]).code != 0 {
      try await Task.sleep(for: .milliseconds(200))
    }
    try await end(b, by: SIGKILL)
    let file = "\(folder.path)/call.mp3"
    try ToneFile.write(file, seconds: 30)
    let sent = try await comlink("anna", ["voice-message", "send", file, "--to", "bert"])
    #expect(sent.code == 0, "\(sent.complaint)")
    _ = try await comlink("anna", ["say", "bert", "heard it?"])
    b = try await started("bert", 1)
    _ = try await wait("bert", ["messages", "--keep-unread"], within: 30) {
      $0.contains("anna: voice message, 0:30") && $0.contains("heard it?")
    }
    let listed = try await comlink("bert", ["voice-message", "list", "--json"]).output
    let number = try #require(listed.firstMatch(of: /"number":([0-9]+)/)).output.1
    let path = "\(folder.path)/saved.opus"
    let saved = try await comlink("bert", ["voice-message", "save", String(number), path])
    #expect(saved.code == 0, "\(saved.complaint)")
    let octets = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect((90_000...150_000).contains(octets.count) && octets.starts(with: Array("OggS".utf8)))
    for (arguments, words) in [
      (["play", String(number)], "JACK does not run"), (["play", "999"], "no message 999"),
      (["record"], "JACK does not run"), (["seek", "1:05"], "no voice message plays"),
      (["send", "--to", "anna"], "no voice message is being recorded"),
      (["send", "/etc/hostname", "--to", "anna"], "no audio that can be read"),
    ] {
      let outcome = try await comlink("bert", ["voice-message"] + arguments)
      #expect(outcome.code == 65 && outcome.complaint.contains(words), "\(outcome.complaint)")
    }
    try await end(a)
    try await end(b)
  }

  @Test func `what cannot be said is refused in words`() async throws {
    let a = try await started("anna", 0)
    for (arguments, words) in [
      (["say", "group", "x"], "not in that group"), (["say", "nobody", "x"], "no peer named"),
      (["messages", "--with", "group:none"], "not in that group"),
    ] {
      let outcome = try await comlink("anna", arguments)
      #expect(outcome.code == 65 && outcome.complaint.contains(words), "\(outcome.complaint)")
    }
    _ = try await comlink("anna", ["group", "new", "crew", "--no-qr"])
    #expect(try await comlink("anna", ["say", "group", "x"]).complaint.contains("nobody else"))
    #expect(try await comlink("anna", ["say", "group", "  "]).complaint.contains("nothing to say"))
    #expect(try await comlink("anna", ["messages"]).complaint == "comlink: no messages\n")
    let kept = try await comlink("anna", ["messages", "keep", "line:stage", "5"])
    #expect(kept.output == "messages of line stage are kept for 5 days\n")
    try await end(a)
  }

  @Test func `a damaged journal is set aside and told, and messages begin anew`() async throws {
    let state = "\(folder.path)/anna.state"
    try await end(try await started("anna", 0))
    try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: "\(state)/messages.db"))
    // All of a journal is in its log until that is merged into it.
    try? FileManager.default.removeItem(atPath: "\(state)/messages.db-wal")
    let daemon = try await started("anna", 0)
    #expect(daemon.complaint.contains("messages.db is damaged; it is now"))
    #expect(FileManager.default.fileExists(atPath: "\(state)/messages.db.damaged"))
    #expect(try await comlink("anna", ["messages"]).code == 0)
    try await end(daemon)
  }
}
