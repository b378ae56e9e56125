import Cryptography
import NIOSSL
import Remote
import Testing

@testable import Panel

/// The page's door over TLS, as a browser that trusts the crew sees it.
@Suite(.timeLimit(.minutes(1))) struct PageTests {
  @Test func `the page and its files are there for everybody, with a strict policy and a tag`()
    async throws
  {
    try await PageRig.run { rig in
      for path in PageFiles.page.paths {
        let answer = try await rig.answer("GET", path)
        #expect(answer.status == 200, "\(path)")
        let policy = answer.headers["content-security-policy"] ?? ""
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'"))
        #expect(!policy.contains("unsafe"))
        let tag = try #require(answer.headers["etag"])
        let again = try await rig.answer("GET", path, more: "If-None-Match: W/\(tag), \"x\"\r\n")
        #expect(again.status == 304 && again.body.isEmpty)
      }
    }
  }

  @Test func `all of the page has 80 kB at most`() {
    #expect(PageFiles.page.byteCount <= 80_000)
  }

  @Test func `a new certificate is shown to the next who comes, and who is there stays`()
    async throws
  {
    try await PageRig.run { rig in
      let before = try await rig.connect()
      before.send(rig.request("GET", "/"))
      #expect(try await before.answer().status == 200)
      try rig.page.show(PageRig.identity(rig.authority, addresses: [[10, 0, 0, 1]]))
      let after = try await rig.connect()
      for visitor in [after, before] {
        visitor.send(rig.request("GET", "/"))
        #expect(try await visitor.answer().status == 200)
      }
      #expect(!before.certificate.isEmpty && !after.certificate.isEmpty)
      #expect(before.certificate != after.certificate)
    }
  }

  @Test func `TLS 1.2 and 1.3 are spoken, and nothing older`() async throws {
    try await PageRig.run { rig in
      for version in [TLSVersion.tlsv12, .tlsv13] {
        let visitor = try await PageVisitor(port: rig.page.port, version: version)
        visitor.send(rig.request("GET", "/"))
        #expect(try await visitor.answer().status == 200, "\(version)")
      }
      for version in [TLSVersion.tlsv1, .tlsv11] {
        let visitor = try await PageVisitor(port: rig.page.port, version: version)
        visitor.send(rig.request("GET", "/"))
        await #expect(throws: PageVisitor.Failure.self, "\(version)") {
          _ = try await visitor.answer()
        }
      }
    }
  }

  @Test func `a token becomes a cookie that no script and no other site gets`() async throws {
    try await PageRig.run { rig in
      let token = try rig.access.invite(rights: .talk, name: nil).token
      let body = #"{"token":"\#(token)","name":"Anna"}"#
      let answer = try await rig.answer(
        "POST", "/api/v1/session", origin: "https://\(rig.host)", body: body)
      #expect(answer.status == 200 && answer.body == #"{"name":"Anna","ok":true,"rights":"talk"}"#)
      let cookie = answer.headers["set-cookie"] ?? ""
      #expect(cookie.hasPrefix("__Host-comlink-\(rig.page.port)="))
      for part in ["; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict", "; Max-Age="] {
        #expect(cookie.contains(part))
      }
      let again = try await rig.answer(
        "POST", "/api/v1/session", origin: "https://\(rig.host)", body: body)
      #expect(again.status == 403)
      let me = try await rig.answer(
        "GET", "/api/v1/session", cookie: "a=b; \(cookie.prefix { $0 != ";" })")
      #expect(me.status == 200 && me.body == answer.body)
      #expect(try await rig.answer("GET", "/api/v1/session").status == 401)
    }
  }

  @Test func `signing out ends the session and its open page`() async throws {
    try await PageRig.run { rig in
      let cookie = try await rig.signIn()
      let open = try await rig.open(cookie: cookie)
      let answer = try await rig.answer(
        "DELETE", "/api/v1/session", origin: "https://\(rig.host)", cookie: cookie)
      #expect(answer.status == 200)
      #expect(try await open.closeCode() == 1008)
      #expect(try await rig.answer("GET", "/api/v1/session", cookie: cookie).status == 401)
    }
  }

  static let elsewhere = [
    "https://evil.example", "http://127.0.0.1", "https://127.0.0.1:1", "null", "https://127.0.0.1",
  ]

  @Test(arguments: elsewhere)
  func `a page from elsewhere can neither sign in, nor out, nor open a socket`(
    origin: String
  ) async throws {
    try await PageRig.run { rig in
      let cookie = try await rig.signIn()
      let token = try rig.access.invite(rights: .talk, name: nil).token
      for method in ["POST", "DELETE"] {
        let answer = try await rig.answer(
          method, "/api/v1/session", origin: origin, cookie: cookie,
          body: #"{"token":"\#(token)"}"#)
        #expect(answer.status == 403)
      }
      let socket = try await rig.answer(
        "GET", "/ws", origin: origin, cookie: cookie, more: PageRig.upgrade)
      #expect(socket.status == 403)
      #expect(rig.access.sessions.count == 1 && rig.node.requests.isEmpty)
    }
  }

  @Test func `what has no origin opens no socket, and two origins neither`() async throws {
    try await PageRig.run { rig in
      let cookie = try await rig.signIn()
      #expect(
        try await rig.answer("GET", "/ws", cookie: cookie, more: PageRig.upgrade).status == 403)
      let twice = "Origin: https://\(rig.host)\r\n"
      let answer = try await rig.answer(
        "GET", "/ws", origin: "https://\(rig.host)", cookie: cookie, more: twice + PageRig.upgrade)
      #expect(answer.status == 403)
    }
  }

  static let foreignHosts = [
    "evil.example", "evil.example:8443", "stage.local.evil.example", "", "127.0.0.1.evil.example",
    "a b",
  ]

  @Test(arguments: foreignHosts)
  func `a name of another site that leads here (DNS rebinding) gets nothing`(
    host: String
  ) async throws {
    try await PageRig.run { rig in
      let cookie = try await rig.signIn()
      for path in ["/", "/api/v1/session"] {
        let answer = try await rig.answer("GET", path, host: host, cookie: cookie)
        #expect([400, 421].contains(answer.status) && !answer.body.contains("Anna"))
      }
      let socket = try await rig.answer(
        "GET", "/ws", host: host, origin: "https://\(host)", cookie: cookie, more: PageRig.upgrade)
      #expect([400, 421].contains(socket.status))
    }
  }

  @Test func `guessing ends after five tries`() async throws {
    try await PageRig.run { rig in
      var answers: [Int] = []
      for number in 0..<7 {
        let answer = try await rig.answer(
          "POST", "/api/v1/session", origin: "https://\(rig.host)",
          body: #"{"token":"guess\#(number)"}"#)
        answers.append(answer.status)
      }
      #expect(answers == [403, 403, 403, 403, 403, 429, 429])
    }
  }

  static let refused: [(String, String, String, Int)] = [
    ("POST", "/", "", 405), ("PUT", "/api/v1/session", "", 405), ("GET", "/nothing", "", 404),
    ("GET", "/../etc/passwd", "", 404), ("GET", "/%2e%2e/", "", 404),
    ("POST", "/api/v1/session", String(repeating: "x", count: 2000), 413),
    ("GET", "/" + String(repeating: "a", count: 20_000), "", 431),
  ]

  @Test(arguments: refused)
  func `what is not asked for well is refused`(
    method: String, path: String, body: String, status: Int
  ) async throws {
    try await PageRig.run { rig in
      let answer = try await rig.answer(
        method, path, origin: "https://\(rig.host)", body: body.isEmpty ? nil : body)
      #expect(answer.status == status)
      #expect(try await rig.answer("GET", "/").status == 200)
    }
  }

  @Test(arguments: ["", "{", "[]", #"{"token":1}"#, #"{"name":"x"}"#])
  func `a sign-in that is none is told so`(body: String) async throws {
    try await PageRig.run { rig in
      let answer = try await rig.answer(
        "POST", "/api/v1/session", origin: "https://\(rig.host)", body: body)
      #expect(answer.status == 400)
    }
  }

  @Test func `a connection serves many requests, and too many at once end it`() async throws {
    var limits = PageLimits()
    (limits.requestBurst, limits.requestsPerSecond) = (10, 0.001)
    try await PageRig.run(limits: limits) { rig in
      let visitor = try await rig.connect()
      var answers: [Int] = []
      for _ in 0..<11 {
        visitor.send(rig.request("GET", "/icon.svg"))
        answers.append(try await visitor.answer().status)
      }
      #expect(answers == Array(repeating: 200, count: 10) + [429])
      try await visitor.closing()
    }
  }

  @Test func `who says nothing, or never ends a request, is let go of`() async throws {
    var limits = PageLimits()
    limits.connectionTime = .milliseconds(200)
    try await PageRig.run(limits: limits) { rig in
      let silent = try await PageVisitor(port: rig.page.port, isSecure: false)
      let slow = try await rig.connect()
      slow.send("GET / HTTP/1.1\r\n")
      try await silent.closing()
      try await slow.closing()
    }
  }

  @Test func `one address cannot take all connections`() async throws {
    var limits = PageLimits()
    limits.connectionsOfAddress = 2
    try await PageRig.run(limits: limits) { rig in
      let idle = try await [rig.connect(), rig.connect()]
      for visitor in idle {
        visitor.send(rig.request("GET", "/icon.svg"))
        _ = try await visitor.answer()
      }
      await #expect(throws: (any Error).self) { try await rig.answer("GET", "/") }
      withExtendedLifetime(idle) {}
    }
  }

  @Test func `without TLS there is the authority, and the way to the page`() async throws {
    try await PageRig.run { rig in
      let port = try #require(rig.page.trustPort)
      func get(_ path: String, host: String = "stage.local:\(port)") async throws
        -> PageVisitor.Answer
      {
        let visitor = try await PageVisitor(port: port, isSecure: false)
        visitor.send(rig.request("GET", path, host: host))
        return try await visitor.answer()
      }
      let trust = try await get("/trust")
      #expect(trust.status == 200 && trust.body.contains("&lt;stage&gt;"))
      #expect(!trust.body.contains("<stage>") && !trust.body.contains("{{"))
      #expect(trust.body.contains("https://stage.local:\(rig.page.port)/"))
      #expect(trust.body.contains(rig.authority.name))
      #expect(try await get("/comlink.crt").headers["content-type"] == "application/x-x509-ca-cert")
      let profile = try await get("/comlink.mobileconfig")
      #expect(profile.body.contains(AppleProfile.base64(rig.authority.certificate)))
      for path in ["/", "/api/v1/session", "/main.js", "/ws"] {
        let answer = try await get(path)
        #expect(answer.status == 307)
        #expect(answer.headers["location"] == "https://stage.local:\(rig.page.port)/")
      }
      #expect(try await get("/trust", host: "evil.example").status == 421)
    }
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy"),
  ])
  func `base 64 is that of RFC 4648 §10`(text: String, encoded: String) {
    #expect(AppleProfile.base64(Array(text.utf8)) == encoded)
  }

  @Test func `where it cannot listen it says why, and a certificate that is none too`() async throws
  {
    try await PageRig.run { rig in
      await #expect(throws: PanelError.addressInUse(address: rig.host)) {
        _ = try await Page(
          at: Page.Place(host: "127.0.0.1", port: rig.page.port), trustAt: nil,
          identity: PageRig.identity(rig.authority, addresses: []), nodeName: "x",
          access: PageAccess(), handler: rig.node)
      }
      let identity = PageIdentity(
        certificate: .files(certificate: "/nowhere.pem", privateKey: "/nowhere.key"),
        authority: nil, names: [])
      await #expect(throws: PanelError.self) {
        _ = try await Page(
          at: Page.Place(host: "127.0.0.1", port: 0), trustAt: nil, identity: identity,
          nodeName: "x", access: PageAccess(), handler: rig.node)
      }
    }
  }
}
