import Remote
import Testing

@testable import Panel

@Suite struct AccessBookTests {
  private let start = ContinuousClock.now
  private var book = AccessBook([])

  private mutating func signIn(
    _ token: String, name: String = "phone", from address: String = "a", after seconds: Int = 0
  ) throws(AccessBook.Refusal) -> PageRecord {
    try book.signIn(
      token: token, name: name, from: address, id: "id-\(token)", cookie: "cookie-\(token)",
      now: start + .seconds(seconds), unixSeconds: 7)
  }

  @Test mutating func `a token signs one phone in, with the rights that it was made for`() throws {
    book.invite(token: "t", rights: .talk, name: nil, now: start)
    let record = try signIn("t", name: "Anna")
    #expect(record.rights == .talk && record.name == "Anna" && record.unixSeconds == 7)
    #expect(throws: AccessBook.Refusal.unknownToken) { try signIn("t") }
    #expect(book.session(cookie: "cookie-t", now: start)?.record == record)
    #expect(book.session(cookie: "cookie-u", now: start) == nil)
  }

  @Test mutating func `a token is good for ten minutes`() throws {
    book.invite(token: "t", rights: .talk, name: nil, now: start)
    #expect(throws: AccessBook.Refusal.unknownToken) { try signIn("t", after: 600) }
    book.invite(token: "u", rights: .talk, name: nil, now: start)
    #expect(try signIn("u", after: 599).rights == .talk)
  }

  @Test mutating func `the oldest of too many tokens makes room`() {
    for number in 0...AccessBook.invitationLimit {
      book.invite(token: "\(number)", rights: .talk, name: nil, now: start)
    }
    #expect(throws: AccessBook.Refusal.unknownToken) { try signIn("0") }
    #expect(throws: Never.self) { try signIn("1") }
  }

  @Test mutating func `an address that guesses is kept out for a minute, and nobody else`() throws {
    book.invite(token: "right", rights: .talk, name: nil, now: start)
    for _ in 0..<AccessBook.wrongTries.ofAddress {
      #expect(throws: AccessBook.Refusal.unknownToken) { try signIn("wrong") }
    }
    #expect(throws: AccessBook.Refusal.tooManyTries) { try signIn("right", after: 59) }
    #expect(try signIn("right", from: "b", after: 59).rights == .talk)
  }

  @Test mutating func `many addresses that guess are all kept out`() throws {
    book.invite(token: "right", rights: .talk, name: nil, now: start)
    for number in 0..<AccessBook.wrongTries.ofAll {
      #expect(throws: AccessBook.Refusal.unknownToken) {
        try signIn("wrong", from: "\(number)")
      }
    }
    #expect(throws: AccessBook.Refusal.tooManyTries) { try signIn("right", from: "new") }
    #expect(try signIn("right", from: "new", after: 60).rights == .talk)
  }

  @Test mutating func `names are told apart, and cannot command a terminal`() throws {
    var names: [String] = []
    for token in ["1", "2", "3"] {
      book.invite(token: token, rights: .talk, name: nil, now: start)
      names.append(try signIn(token, name: " An\u{1B}na\n ").name)
    }
    #expect(names == ["Anna", "Anna 2", "Anna 3"])
    #expect(AccessBook.cleaned("\u{7}\u{202E}") == "phone")
    #expect(AccessBook.cleaned(String(repeating: "ä", count: 100)).utf8.count == 40)
  }

  @Test mutating func `who was not seen for longest makes room, but not who has the page open`()
    throws
  {
    for number in 0..<AccessBook.sessionLimit {
      book.invite(token: "\(number)", rights: .talk, name: nil, now: start)
      let record = try signIn("\(number)", after: number)
      if number == 0 { book.count(1, of: record.id, now: start) }
    }
    book.invite(token: "new", rights: .talk, name: nil, now: start)
    _ = try signIn("new", after: 100)
    #expect(book.sessions.count == AccessBook.sessionLimit)
    #expect(book.rights(of: "id-0") == .talk && book.rights(of: "id-1") == nil)
  }

  @Test mutating func `signing out takes a name or an ID, or everybody`() throws {
    for (token, name) in [("1", "a"), ("2", "b"), ("3", "c")] {
      book.invite(token: token, rights: .talk, name: name, now: start)
      _ = try signIn(token)
    }
    #expect(book.revoke("nobody") == [])
    #expect(book.revoke("b") == ["id-2"])
    #expect(book.revoke("id-1") == ["id-1"])
    #expect(book.revoke(nil) == ["id-3"])
    #expect(book.records == [])
  }
}

@Suite struct HostNameTests {
  @Test(
    arguments: [
      ("stage.local:8443", "stage.local", 8443, false), ("STAGE.local.", "stage.local", nil, false),
      ("10.0.0.1:80", "10.0.0.1", 80, true), ("[::1]:8443", "::1", 8443, true),
      ("[FE80::1]", "fe80::1", nil, true),
    ] as [(String, String, Int?, Bool)])
  func `a host is taken apart`(text: String, name: String, port: Int?, isAddress: Bool) throws {
    let host = try #require(HostName(text))
    #expect(host.name == name && host.port == port && host.isAddress == isAddress)
  }

  @Test(arguments: [
    "", ":80", "a:", "a:b", "a:0", "a:65536", "[::1", "[x]", "a/b", "a b", "a@b", "[::1]x",
    "ä.local",
    String(repeating: "a", count: 300),
  ])
  func `what is no host is none`(text: String) { #expect(HostName(text) == nil) }

  @Test func `a star stands for one label`() throws {
    let names = ["*.example.org", "stage.local"]
    #expect(try #require(HostName("a.example.org")).isOne(of: names))
    #expect(try #require(HostName("Stage.Local:1")).isOne(of: names))
    for text in ["example.org", "a.b.example.org", "aexample.org", "stage.local.evil.org"] {
      #expect(try #require(HostName(text)).isOne(of: names) == false)
    }
  }
}

@Suite struct PageRightsTests {
  @Test func `each right may what the ones before it may`() {
    #expect(PageRights.allCases.sorted() == [.listen, .talk, .operate, .admin])
  }

  @Test func `secrets, files and access take all rights`() {
    let requests: [ControlRequest] = [
      .groupNew(name: "x"), .groupJoin(invitation: SecretText("x")), .groupLeave(name: "x"),
      .pairShow(group: "x"), .identityNew, .recordStart(RecordingRequest(directory: "/")),
      .recordStop,
      .logLevel(level: nil, area: nil), .pageInvite(rights: .listen, name: nil), .pageList,
      .pageRevoke(session: nil), .service(.restart), .choose(changes: [:]),
    ]
    for request in requests { #expect(request.neededRights == .admin) }
    #expect(ControlRequest.talk(isOn: true).neededRights == .talk)
    #expect(ControlRequest.status.neededRights == .listen)
    #expect(ControlRequest.service(.doctor).neededRights == .listen)
    #expect(ControlRequest.mute(peer: "x", isOn: true).neededRights == .operate)
  }
}
