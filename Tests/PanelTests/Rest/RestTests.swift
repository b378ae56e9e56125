import Foundation
import NIOCore
import NIOHTTP1
import Remote
import StatusSchema
import Testing

@testable import Panel

@Suite struct RestTests {
  @Test func `a text is sent, listed by pages, shown and deleted`() async throws {
    try await PageRig.run { rig in
      let token = try rig.tokens.issue(to: "desk", .operate)
      for number in 1...5 {
        let said = try await rig.rest(
          "POST", PageRig.crew, token: token, body: #"{"text":"call \#(number)"}"#)
        #expect(said.status == 201)
        #expect(
          said.body
            == #"{"created_at":"2027-01-15T08:00:00.250Z","id":"\#(number)","sequence_number":\#(number)}"#
        )
      }
      let last = try await rig.rest("GET", PageRig.crew + "?limit=2", token: token)
      #expect(last.status == 200 && last.headers["content-type"] == "application/json")
      #expect(last.body.contains("call 4") && last.body.contains(#""next_before":4"#))
      #expect(!last.body.contains("call 3"))
      #expect(last.body.contains(#""edited_at":"2027-01-15T08:00:01.500Z""#))
      let sign =
        #""reactions":[{"emoji":"ok","sender":{"id":"ab12","is_self":false,"name":"anna"}}]"#
      #expect(last.body.contains(sign))
      let before = try await rig.rest("GET", PageRig.crew + "?limit=3&before=4", token: token)
      #expect(before.body.contains("call 1") && !before.body.contains("call 4"))
      let one = try await rig.rest("GET", PageRig.crew + "/3", token: token)
      #expect(one.status == 200 && one.body.contains(#""text":"call 3""#))
      #expect(try await rig.rest("DELETE", PageRig.crew + "/3", token: token).status == 204)
      #expect(try await rig.rest("GET", PageRig.crew + "/3", token: token).status == 404)
      let all = try await rig.rest("GET", "/api/v1/conversations", token: token)
      let crew =
        #"{"id":"group:crew","kind":"group","last_sequence_number":5,"name":"crew","unread":2}"#
      #expect(all.body.contains(crew))
      #expect(all.body.contains(#""id":"line:stage left","kind":"line""#))
    }
  }

  @Test func `a text is edited, and has one sign of this node that is taken back`() async throws {
    try await PageRig.run { rig in
      let token = try rig.tokens.issue(to: "desk", .talk)
      _ = try await rig.rest("POST", PageRig.crew, token: token, body: #"{"text":"call 5"}"#)
      let path = PageRig.crew + "/1"
      let edited = try await rig.rest("PATCH", path, token: token, body: #"{"text":"call 6"}"#)
      #expect(edited.status == 200 && edited.body.contains(#""text":"call 6""#))
      #expect(edited.body.contains(#""edited_at":"2027-01-15T08:00:02.000Z""#))
      let mine = #""reactions":[{"emoji":"👍","sender":{"id":"ff","is_self":true,"name":""}}]"#
      let sign = try await rig.rest(
        "PUT", path + "/reaction", token: token, body: #"{"emoji":"👍"}"#)
      #expect(sign.status == 200 && sign.body.contains(mine) && sign.body.contains("call 6"))
      for listed in [path, PageRig.crew] {
        #expect(try await rig.rest("GET", listed, token: token).body.contains(mine))
      }
      #expect(try await rig.rest("DELETE", path + "/reaction", token: token).status == 204)
      #expect(!(try await rig.rest("GET", path, token: token).body.contains("reactions")))

      let listener = try rig.tokens.issue(to: "lamp", .listen)
      for (method, path, body) in [
        ("PATCH", path, #"{"text":"x"}"#), ("PUT", path + "/reaction", #"{"emoji":"x"}"#),
        ("DELETE", path + "/reaction", nil),
      ] {
        let refused = try await rig.rest(method, path, token: listener, body: body)
        #expect(refused.status == 403 && refused.body.contains(#""code":"forbidden""#))
      }
    }
  }

  @Test func `a text that is to be spoken is sent so`() async throws {
    try await PageRig.run { rig in
      let token = try rig.tokens.issue(to: "desk", .talk)
      for body in [
        #"{"text":"read"}"#, #"{"text":"hear","is_aloud":true}"#, #"{"text":"x","is_aloud":false}"#,
      ] {
        let said = try await rig.rest("POST", PageRig.crew, token: token, body: body)
        #expect(said.status == 201)
      }
      #expect(rig.messages.aloud == ["hear"])
    }
  }

  @Test func `a voice message is uploaded, sent once however often it is asked for, and heard`()
    async throws
  {
    try await PageRig.run { rig in
      let token = try rig.tokens.issue(to: "desk", .talk)
      // More than is read of any other request, and more than may wait for the disk.
      let file = String(repeating: "0123456789abcdef", count: 40_000)
      let asked = try await rig.ask(token, byteCount: file.utf8.count)
      #expect(
        asked.status == 200 && asked.body.contains(#""headers":{"Content-Type":"audio/wav"}"#))
      #expect(asked.body.contains(#""url":"https://\#(rig.host)/api/v1/uploads/"#))
      let path = rig.path(of: asked)
      let wish = #"{"audio_url":"https://\#(rig.host)\#(path)","duration":1.5,"file_size":640000}"#
      let early = try await rig.rest("POST", PageRig.crew + "/audio", token: token, body: wish)
      #expect(early.status == 409)
      let put = try await rig.rest("PUT", path, token: nil, body: file, type: "audio/wav")
      #expect(put.status == 200 && put.body == #"{"file_size":640000}"#)
      rig.messages.refuse(RestFault(.noRoom, "full"))
      let full = try await rig.rest("POST", PageRig.crew + "/audio", token: token, body: wish)
      #expect(full.status == 507 && full.body.contains(#""code":"no_room""#))
      rig.messages.refuse(nil)
      let sent = try await rig.rest("POST", PageRig.crew + "/audio", token: token, body: wish)
      let again = try await rig.rest("POST", PageRig.crew + "/audio", token: token, body: wish)
      #expect(sent.status == 201 && again.status == 200 && sent.body == again.body)
      #expect(rig.messages.messages.map(\.voice?.bytes) == [640_000])
      let late = try await rig.rest("PUT", path, token: nil, body: "x", type: "audio/wav")
      #expect(late.status == 409)
      let one = try await rig.rest("GET", PageRig.crew + "/1", token: token)
      #expect(one.body.contains(#""transcript":"cue nine""#), "\(one.body)")
      let sound = try await rig.rest("GET", PageRig.crew + "/1/audio", token: token)
      #expect(sound.status == 200 && sound.body == "0123456789")
      let part = try await rig.rest(
        "GET", PageRig.crew + "/1/audio", token: token, more: "Range: bytes=2-4\r\n")
      #expect(part.status == 206 && part.body == "234")
      #expect(part.headers["content-range"] == "bytes 2-4/10")
      let beyond = try await rig.rest(
        "GET", PageRig.crew + "/1/audio", token: token, more: "Range: bytes=10-\r\n")
      #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */10")
    }
  }

  @Test func `only a token of enough right gets in`() async throws {
    try await PageRig.run { rig in
      let path = "/api/v1/conversations"
      let nobody = try await rig.rest("GET", path, token: nil)
      #expect(nobody.status == 401 && nobody.headers["www-authenticate"] == "Bearer")
      #expect(nobody.headers["cross-origin-resource-policy"] == "same-origin")
      #expect(try await rig.rest("GET", path, token: "x").status == 401)
      let listener = try rig.tokens.issue(to: "lamp", .listen)
      #expect(try await rig.rest("GET", path, token: listener).status == 200)
      let text = #"{"text":"a"}"#
      #expect(try await rig.rest("POST", PageRig.crew, token: listener, body: text).status == 403)
      let talker = try rig.tokens.issue(to: "desk", .talk)
      #expect(try await rig.rest("POST", PageRig.crew, token: talker, body: text).status == 201)
      #expect(try await rig.rest("DELETE", PageRig.crew + "/1", token: talker).status == 403)
      #expect(rig.tokens.revoke("desk") == 1)
      #expect(try await rig.rest("GET", path, token: talker).status == 401)
      let strange = try await rig.answer(
        "GET", path, host: "evil.example", more: "Authorization: Bearer \(listener)\r\n")
      #expect(strange.status == 421)
    }
  }

  @Test func `the page's cookie counts where the page itself sends it, by its rights`()
    async throws
  {
    try await PageRig.run { rig in
      let (own, path, text) = ("https://\(rig.host)", PageRig.crew, #"{"text":"a"}"#)
      let talker = try await rig.signIn(.talk)
      let listener = try await rig.signIn(.listen, name: "Ben")
      func say(_ cookie: String?, _ origin: String?, _ more: String = "") async throws -> Int {
        try await rig.answer(
          "POST", path, origin: origin, cookie: cookie, body: text,
          more: "Content-Type: application/json\r\n" + more
        ).status
      }
      #expect(try await say(nil, own) == 401)
      #expect(try await say(talker + "x", own) == 401)
      // A page from elsewhere, one of another port, and what is no page.
      for origin in ["https://evil.example", "https://127.0.0.1:1", "null", nil] {
        #expect(try await say(talker, origin) == 403, "\(origin ?? "")")
      }
      #expect(try await say(listener, own) == 403)
      #expect(try await say(talker, own) == 201)
      // A token is judged as one, cookie or not.
      #expect(try await say(talker, own, "Authorization: Bearer x\r\n") == 401)

      func read(_ cookie: String?, _ origin: String?, _ site: String?) async throws -> Int {
        let more = site.map { "Sec-Fetch-Site: \($0)\r\n" } ?? ""
        return try await rig.answer("GET", path, origin: origin, cookie: cookie, more: more).status
      }
      #expect(try await read(listener, nil, "same-origin") == 200)
      #expect(try await read(listener, own, nil) == 200)
      #expect(try await read(listener, nil, "same-site") == 403)
      #expect(try await read(listener, "https://evil.example", nil) == 403)
      let deleted = try await rig.answer("DELETE", path + "/1", origin: own, cookie: talker)
      #expect(deleted.status == 403)
      #expect(rig.access.revoke("Ben") == 1)
      #expect(try await read(listener, nil, "same-origin") == 401)
    }
  }

  static let refused: [(method: String, path: String, body: String?, type: String, status: Int)] = [
    ("GET", "/api/v1/conversations/nobody/messages", nil, "", 404),
    ("GET", PageRig.crew + "/99", nil, "", 404),
    ("GET", PageRig.crew + "/-1", nil, "", 404),
    ("GET", PageRig.crew + "/%ff", nil, "", 404),
    ("GET", PageRig.crew + "?limit=0", nil, "", 422),
    ("GET", PageRig.crew + "?limit=x", nil, "", 422),
    ("GET", PageRig.crew + "?limit=1&limit=2", nil, "", 400),
    ("GET", PageRig.crew + "?search=%4", nil, "", 400),
    ("PATCH", PageRig.crew, "{}", "application/json", 405),
    ("GET", PageRig.crew + "/1/reaction", nil, "", 405),
    ("PATCH", PageRig.crew + "/1", #"{"text":"x"}"#, "application/json", 404),
    ("PATCH", PageRig.crew + "/1", #"{"emoji":"x"}"#, "application/json", 400),
    ("PATCH", PageRig.crew + "/1", "x", "text/plain", 415),
    ("PUT", PageRig.crew + "/1/reaction", #"{"emoji":3}"#, "application/json", 400),
    ("PUT", PageRig.crew + "/x/reaction", #"{"emoji":"x"}"#, "application/json", 404),
    ("DELETE", PageRig.crew + "/1/reaction", nil, "", 404),
    ("DELETE", PageRig.crew + "/1/reaction", "x", "application/json", 400),
    ("GET", "/api/v1/uploads", nil, "", 404),
    ("POST", PageRig.crew, #"{"text":3}"#, "application/json", 400),
    ("POST", PageRig.crew, "text", "text/plain", 415),
    ("POST", PageRig.crew, String(repeating: " ", count: 32_769), "application/json", 413),
    (
      "POST", PageRig.crew + "/audio/upload-url",
      #"{"file_name":"a","file_size":10485761,"mime_type":"audio/wav"}"#, "application/json", 413
    ),
    (
      "POST", PageRig.crew + "/audio/upload-url",
      #"{"file_name":"a","file_size":0,"mime_type":"audio/wav"}"#, "application/json", 422
    ),
    (
      "POST", PageRig.crew + "/audio/upload-url",
      #"{"file_name":"a","file_size":1,"mime_type":"text/html"}"#, "application/json", 415
    ),
    ("POST", PageRig.crew + "/audio", #"{"audio_url":"https://x/y"}"#, "application/json", 422),
    (
      "POST", PageRig.crew + "/audio", #"{"audio_url":"/api/v1/uploads/abc?expires=1"}"#,
      "application/json", 404
    ),
  ]

  @Test(arguments: refused)
  func `what is wrong is refused with its status and words`(
    method: String, path: String, body: String?, type: String, status: Int
  ) async throws {
    try await PageRig.run { rig in
      let token = try rig.tokens.issue(to: "desk", .admin)
      let answer = try await rig.rest(method, path, token: token, body: body, type: type)
      #expect(answer.status == status)
      #expect(answer.body.hasPrefix(#"{"error":{"code":""#))
    }
  }

  @Test func `an upload is taken as it was asked for only, by whoever has the signed address`()
    async throws
  {
    try await PageRig.run { rig in
      let token = try rig.tokens.issue(to: "desk", .talk)
      let path = rig.path(of: try await rig.ask(token, byteCount: 4))
      // As browsers name what they record.
      let recorded = try await rig.ask(token, byteCount: 4, type: "Audio/Ogg; codecs=opus")
      #expect(recorded.status == 200 && recorded.body.contains(#""Content-Type":"audio/ogg""#))
      func put(_ path: String, _ body: String, _ type: String = "audio/wav") async throws -> Int {
        try await rig.rest("PUT", path, token: nil, body: body, type: type).status
      }
      #expect(try await put(path.replacing("signature=", with: "signature=0"), "abcd") == 403)
      #expect(try await put(path.replacing("expires=1", with: "expires=2"), "abcd") == 403)
      #expect(try await put(String(path.prefix { $0 != "?" }), "abcd") == 403)
      #expect(try await put(path, "abcd", "text/html") == 415)
      #expect(try await put(path, "abcde") == 413)
      #expect(try await put(path, "abc") == 400)
      #expect(try await put(path, "abcd") == 200)
      let other = try rig.tokens.issue(to: "other", .admin)
      let stolen = try await rig.rest(
        "POST", PageRig.crew + "/audio", token: other, body: #"{"audio_url":"\#(path)"}"#)
      #expect(stolen.status == 404)
    }
  }

  @Test func `a long refused upload hears why, and one that is broken off can come again`()
    async throws
  {
    try await PageRig.run { rig in
      let token = try rig.tokens.issue(to: "desk", .talk)
      let long = String(repeating: "x", count: 300_000)
      let refused = try await rig.rest("PUT", "/api/v1/uploads/a?expires=1", token: nil, body: long)
      #expect(refused.status == 403 && refused.headers["connection"] == "close")
      let path = rig.path(of: try await rig.ask(token, byteCount: 300_000))
      let visitor = try await rig.connect()
      visitor.send("PUT \(path) HTTP/1.1\r\nHost: \(rig.host)\r\nContent-Length: 300000\r\n\r\nxx")
      func put() async throws -> Int {
        try await rig.rest("PUT", path, token: nil, body: long, type: "audio/wav").status
      }
      let end = ContinuousClock.now + .seconds(20)
      while try await put() != 409 { try #require(ContinuousClock.now < end) }
      try await visitor.channel.close()
      var status = 0
      for _ in 0..<200 where status != 200 {
        status = try await put()
        try await Task.sleep(for: .milliseconds(10))
      }
      #expect(status == 200)
    }
  }

  @Test func `no token may have too many uploads open, nor ask too often`() async throws {
    try await PageRig.run { rig in
      let token = try rig.tokens.issue(to: "desk", .talk)
      var statuses: [Int] = []
      for _ in 0..<9 { statuses.append(try await rig.ask(token, byteCount: 4).status) }
      #expect(statuses == Array(repeating: 200, count: 8) + [429])
      #expect((0..<400).contains { _ in rig.tokens.holder(of: token)?.isTooMany ?? false })
      // One connection after the other: what bounds a connection is not what is bounded here. A token may ask again
      // 25 ms later, so somebody else goes on asking meanwhile.
      let crowd = Task {
        while !Task.isCancelled {
          for _ in 0..<400 { _ = rig.tokens.holder(of: token)?.isTooMany }
          try await Task.sleep(for: .milliseconds(1))
        }
      }
      defer { crowd.cancel() }
      var isTold = false
      for _ in 0..<20 where !isTold {
        isTold = try await rig.rest("GET", "/api/v1/conversations", token: token).status == 429
      }
      #expect(isTold)
    }
  }

  @Test func `with a bucket the address is the bucket's, and what lies there is sent once`()
    async throws
  {
    let store = Bucket()
    try await PageRig.run(store: store) { rig in
      let token = try rig.tokens.issue(to: "desk", .talk)
      let asked = try await rig.ask(token, byteCount: 4)
      let id = try #require(store.asked.first)
      let url = "https://s3.test/voices/\(id)"
      #expect(asked.body.contains(#""url":"\#(url)?signed=4""#))
      #expect(asked.body.contains(#""headers":{"Content-Type":"audio/wav"}"#))
      func send(_ url: String) async throws -> PageVisitor.Answer {
        try await rig.rest(
          "POST", PageRig.crew + "/audio", token: token, body: #"{"audio_url":"\#(url)"}"#)
      }
      #expect(try await send(url).status == 409)
      store.put(id)
      for other in ["https://evil.test/voices/\(id)", "https://s3.test/other/\(id)", url + "x", id]
      {
        let status = try await send(other).status
        #expect(status == 422 || status == 404, "\(other)")
      }
      // With what the address is signed by, or without.
      let sent = try await send(url + "?signed=4")
      let again = try await send(url)
      #expect(sent.status == 201 && again.status == 200 && sent.body == again.body)
      #expect(rig.messages.messages.map(\.voice?.bytes) == [4])
      // A program is sent there for the sound; the page, whose rules bind it to this node, is not.
      let hash = try #require(store.kept.keys.first)
      #expect(store.kept == [hash: rig.messages.sound])
      let sound = try await rig.rest(
        "GET", PageRig.crew + "/1/audio", token: token, more: "Range: bytes=2-4\r\n")
      #expect(sound.status == 307 && sound.body.isEmpty)
      let place = "https://s3.test/voices/sent/\(hash).ogg?for=900"
      #expect(sound.headers["location"] == place && sound.headers["cache-control"] == "no-store")
      let cookie = try await rig.signIn(.listen)
      let page = try await rig.answer(
        "GET", PageRig.crew + "/1/audio", cookie: cookie, more: "Sec-Fetch-Site: same-origin\r\n")
      #expect(page.status == 200 && page.body == "0123456789")
      store.expire()
      let here = try await rig.rest("GET", PageRig.crew + "/1/audio", token: token)
      #expect(here.status == 200 && here.body == "0123456789")
      // Nothing can be written here instead.
      let put = try await rig.rest(
        "PUT", "/api/v1/uploads/\(id)?expires=1&signature=x", token: nil, body: "abcd")
      #expect(put.status == 403)
    }
  }

  @Test func `what was sent takes no place among the uploads that are open`() throws {
    let room = UploadRoom(directory: NSTemporaryDirectory())
    for number in 0..<20 as Range<Int64> {
      let address = try room.ask(
        by: "desk", for: "c", type: "audio/wav", byteCount: 4, unixSeconds: 0
      ).url
      let parts = address.split(separator: "?")
      let id = try #require(parts[0].split(separator: "/").last.map(String.init))
      let query = parts[1].split(separator: "&").map { $0.split(separator: "=").map(String.init) }
      _ = try room.begin(
        id, Dictionary(uniqueKeysWithValues: query.map { ($0[0], $0[1]) }), type: nil, byteCount: 4)
      room.written(id, isWhole: true)
      _ = try room.take(address, by: "desk", for: "c", byteCount: 4)
      room.sent(id, as: number)
      guard case .sent(number) = try room.take(address, by: "desk", for: "c", byteCount: 4).1 else {
        Issue.record("\(number) would be sent twice")
        return
      }
    }
  }

  static let ranges: [(String?, Range<Int>??)] = [
    (nil, nil), ("lines=1-2", nil), ("bytes=", nil), ("bytes=3-1", nil), ("bytes=1-2,4-5", nil),
    ("bytes=-", nil), ("bytes=+1-2", nil), ("bytes=0-0", 0..<1), ("bytes=8-99", 8..<10),
    ("bytes=3-", 3..<10), ("bytes=-3", 7..<10), ("bytes=-99", 0..<10), ("bytes=-0", .some(nil)),
    ("bytes=10-11", .some(nil)), ("bytes=99999999999999999999-", nil),
  ]

  @Test(arguments: ranges)
  func `ranges are those of RFC 9110 §14`(header: String?, range: Range<Int>??) {
    #expect(ByteRange.range(header, of: 10) == range)
  }

  @Test func `times are written for any clock`() {
    #expect(InternetTime.text(0) == "1970-01-01T00:00:00.000Z")
    #expect(InternetTime.text(-0.25) == "1969-12-31T23:59:59.750Z")
    #expect(InternetTime.text(1e300) == "9999-12-31T23:59:59.000Z")
  }
}

@Suite struct RestTokensTests {
  @Test func `a token is kept as its digest, has one name, and is found again after a restart`()
    async throws
  {
    let tokens = PageTokens()
    let token = try tokens.issue(to: "desk", .operate)
    #expect(throws: PageTokens.Refusal.taken("desk")) { try tokens.issue(to: "desk", .talk) }
    for name in ["", " x", "a\u{1b}[2J", String(repeating: "x", count: 41)] {
      #expect(throws: PageTokens.Refusal.name) { try tokens.issue(to: name, .talk) }
    }
    var changes = tokens.records.makeAsyncIterator()
    let records = try #require(await changes.next())
    #expect(!"\(records)".contains(token))
    let next = PageTokens(records)
    #expect(next.holder(of: token)?.record.rights == .operate)
    #expect(next.holder(of: token + "x") == nil && next.holder(of: "") == nil)
    #expect(next.revoke("nobody") == 0 && next.revoke(nil) == 1)
    #expect(next.holder(of: token) == nil)
  }

  @Test func `so many programs have tokens and no more, and none is put out for another`() throws {
    let tokens = PageTokens()
    for number in 0..<PageTokens.limit { _ = try tokens.issue(to: "\(number)", .talk) }
    #expect(throws: PageTokens.Refusal.full) { try tokens.issue(to: "one more", .talk) }
    #expect(tokens.holders.count == PageTokens.limit)
  }
}

@Suite struct OpenAPITests {
  private struct File: Decodable {
    struct Operation: Decodable {
      struct Nothing: Decodable {}
      var responses: [String: Nothing]
      var security: [Nothing]?
    }
    var paths: [String: [String: Operation]]
  }

  @Test func `docs/openapi.json has every route of the server, and every status of each`() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../docs/openapi.json")
    let file = try JSONDecoder().decode(File.self, from: Data(contentsOf: path))
    var written: Set<String> = []
    for (path, operations) in file.paths {
      for (method, operation) in operations {
        for status in operation.responses.keys {
          written.insert("\(method.uppercased()) \(path) \(status)")
        }
        // Where no token is needed, the file says so.
        let needsNone = path.hasPrefix("/api/v1/uploads/") || path.hasPrefix("/v1/auth/")
        #expect((operation.security?.isEmpty == true) == needsNone)
      }
    }
    let asked = try String(contentsOf: path, encoding: .utf8)
    for type in RestDesk.fileTypes { #expect(asked.contains("\"\(type)\"")) }
    let served = RestRoute.allCases.flatMap { route in
      route.statuses.map { "\(route.method.rawValue) \(route.path) \($0)" }
    }
    #expect(written.symmetricDifference(served).sorted() == [])
  }

  @Test func `what stands in a path is no name of a session or message`() {
    for (path, methods) in [
      ("/v1/sessions/start", "POST"), ("/v1/sessions/end", "POST"),
      (PageRig.crew + "/audio", "POST"), ("/v1/sessions/other", "GET, DELETE"),
    ] {
      guard case .methods(let found) = RestRoute.match(.PATCH, path) else {
        Issue.record("\(path) has no methods")
        continue
      }
      #expect(found.map(\.rawValue).joined(separator: ", ") == methods)
    }
  }

  @Test func `every path finds its own route only`() {
    for route in RestRoute.allCases {
      let path = route.path.replacing(#/{[a-z_]+}/#, with: "7")
      guard case .route(let found, _) = RestRoute.match(route.method, path) else {
        Issue.record("\(path) is not found")
        continue
      }
      #expect(found == route)
    }
  }
}
