import Remote
import StatusSchema
import Synchronization
import Testing

@testable import Panel

/// An assistant that answers with what it was told, by whom.
final class RestTalker: RestAssistant {
  private let kept = Mutex<[SessionStatus]>([])
  private let next = Mutex<RestFault?>(nil)

  /// What begins next is refused so.
  func refuse(_ fault: RestFault?) { next.withLock { $0 = fault } }

  func start(_ caller: AssistantCaller) async throws(RestFault) -> SessionStatus {
    if let fault = next.withLock({ $0 }) { throw fault }
    return kept.withLock { kept in
      let session = SessionStatus(
        id: "s\(kept.count + 1)", context: caller.context, startedUnixSeconds: 1_800_000_000)
      kept.append(session)
      return session
    }
  }

  func turn(
    _ text: String, in session: String, _ caller: AssistantCaller
  ) async throws(RestFault) -> SessionStatus {
    var found = try await self.session(session, caller)
    let answer = "\(caller.name ?? "") \(caller.rights?.rawValue ?? ""): \(text)"
    found.turns = [("user", text), ("assistant", answer)].map { speaker, text in
      .init(speaker: speaker, text: text, unixSeconds: 1_800_000_001, isInterrupted: false)
    }
    return found
  }

  func end(_ session: String, _ caller: AssistantCaller) async throws(RestFault) {
    _ = try await self.session(session, caller)
    kept.withLock { kept in
      for index in kept.indices where kept[index].id == session {
        kept[index].endedUnixSeconds = 1_800_000_060
        kept[index].title = "Line two"
        kept[index].summary = String(repeating: "ä", count: 200)
      }
    }
  }

  func sessions(
    _ limit: Int, _ caller: AssistantCaller
  ) async throws(RestFault) -> [SessionStatus] {
    guard caller.rights ?? .admin >= .operate else {
      throw RestFault(.forbidden, "not for \(caller.name ?? "")")
    }
    return kept.withLock { Array($0.reversed().prefix(limit)) }
  }

  func session(_ id: String, _ caller: AssistantCaller) async throws(RestFault) -> SessionStatus {
    guard let session = kept.withLock({ $0.first { $0.id == id } }) else {
      throw RestFault(.notFound, "no such session")
    }
    return session
  }

  func delete(_ session: String, _ caller: AssistantCaller) async throws(RestFault) {
    _ = try await self.session(session, caller)
    kept.withLock { $0.removeAll { $0.id == session } }
  }
}

@Suite struct RestSessionsTests {
  @Test func `a session begins, is talked in, ends, is listed, shown and deleted`() async throws {
    try await PageRig.run { rig in
      let token = try rig.tokens.issue(to: "desk", .operate)
      func ask(_ method: String, _ path: String, _ body: String? = nil) async throws
        -> PageVisitor.Answer
      {
        try await rig.rest(method, "/v1/sessions" + path, token: token, body: body)
      }
      let started = try await ask("POST", "/start", "{}")
      #expect(
        started.body
          == #"{"context":"page","room_name":"assistant-s1","session_id":"s1","started_at":"2027-01-15T08:00:00.000Z"}"#
      )
      let said = try await ask("POST", "/s1/turn", #"{"text":"Who is on?"}"#)
      #expect(said.status == 200 && said.body.contains("desk operate: Who is on?"))
      let ended = try await ask("POST", "/end", #"{"session_id":"s1"}"#)
      #expect(ended.status == 204 && ended.body.isEmpty)
      let list = try await ask("GET", "")
      #expect(list.body.hasPrefix(#"[{"ended_at":"2027-01-15T08:01:00.000Z","id":"s1","#))
      #expect(list.body.contains(String(repeating: "ä", count: 119) + "…\""))
      let shown = try await ask("GET", "/s1")
      #expect(shown.body.contains(String(repeating: "ä", count: 200)))
      #expect(try await ask("DELETE", "/s1").status == 204)
      #expect(try await ask("DELETE", "/s1").status == 404)
      #expect(try await ask("POST", "/s1/turn", #"{"text":"x"}"#).status == 404)
      let long = #"{"text":"\#(String(repeating: "x", count: 4097))"}"#
      #expect(try await ask("POST", "/s1/turn", long).status == 413)
      #expect(try await ask("POST", "/start", #"{"context":"moon"}"#).status == 422)
      #expect(try await ask("POST", "/s1", "{}").status == 405)
      rig.assistant.refuse(RestFault(.conflict, "nobody agreed yet"))
      #expect(try await ask("POST", "/start", "{}").status == 409)
      let talker = try rig.tokens.issue(to: "button", .talk)
      // Whether all share one agreement, the assistant knows.
      let refused = try await rig.rest("GET", "/v1/sessions", token: talker)
      #expect(refused.status == 403 && refused.body.contains("not for button"))
      let listener = try rig.tokens.issue(to: "lamp", .listen)
      let lesser = try await rig.rest("GET", "/v1/sessions", token: listener)
      #expect(lesser.status == 403 && lesser.body.contains("has the right listen"))
    }
  }

  @Test func `a phone is its session, and not the name that it gave itself`() async throws {
    try await PageRig.run { rig in
      let cookie = try await rig.signIn(.talk, name: "node")
      let id = try #require(rig.access.sessions.first).id
      func post(_ path: String, _ body: String) async throws -> PageVisitor.Answer {
        try await rig.answer(
          "POST", "/v1/sessions/" + path, origin: "https://\(rig.host)", cookie: cookie, body: body,
          more: "Content-Type: application/json\r\n")
      }
      #expect(try await post("start", "{}").status == 200)
      let said = try await post("s1/turn", #"{"text":"Who is on?"}"#)
      #expect(said.body.contains("page \(id) talk: Who is on?"))
    }
  }

  /// A field of an answer that is text.
  private func field(_ name: String, _ answer: PageVisitor.Answer) -> String {
    let mark = "\"\(name)\":\""
    let rest = answer.body.firstRange(of: mark).map { answer.body[$0.upperBound...] } ?? ""
    return String(rest.prefix { $0 != "\"" })
  }

  @Test func `a program signs in, refreshes once a token, and is out once its token is revoked`()
    async throws
  {
    try await PageRig.run { rig in
      let token = try rig.tokens.issue(to: "desk", .operate)
      func post(_ path: String, _ body: String) async throws -> PageVisitor.Answer {
        try await rig.rest("POST", "/v1/auth/" + path, token: nil, body: body)
      }
      let first = try await post("login", #"{"token":"\#(token)"}"#)
      #expect(first.status == 200 && first.body.contains(#""expires_in":900"#))
      let access = field("access_token", first)
      #expect(try await rig.rest("GET", "/v1/sessions", token: access).status == 200)
      #expect(try await post("login", #"{"token":"\#(access)"}"#).status == 401)
      let refresh = #"{"refresh_token":"\#(field("refresh_token", first))"}"#
      let second = try await post("refresh", refresh)
      #expect(second.status == 200)
      #expect(try await post("refresh", refresh).status == 401)
      #expect(try await rig.rest("GET", "/v1/sessions", token: access).status == 401)
      let next = field("access_token", second)
      #expect(try await rig.rest("GET", "/v1/sessions", token: next).status == 200)
      #expect(rig.tokens.revoke("desk") == 1)
      #expect(try await rig.rest("GET", "/v1/sessions", token: next).status == 401)
      let last = #"{"refresh_token":"\#(field("refresh_token", second))"}"#
      #expect(try await post("refresh", last).status == 401)
    }
  }

  @Test func `a pass ends by itself, and of one program the oldest makes room`() {
    let start = ContinuousClock.now
    var book = PassBook()
    for number in 0...PassBook.limit {
      book.add("desk", access: "a\(number)", refresh: "r\(number)", now: start)
    }
    book.add("other", access: "b", refresh: "s", now: start)
    #expect(book.holder(ofAccess: "a0", now: start) == nil)
    #expect(book.holder(ofAccess: "a1", now: start) == "desk")
    #expect(book.holder(ofAccess: "r1", now: start) == nil)
    let later = start + PassBook.accessTime
    #expect(book.holder(ofAccess: "a1", now: later) == nil)
    #expect(book.take(refresh: "r1", now: later) == "desk")
    #expect(book.take(refresh: "r1", now: later) == nil)
    book.keep(["desk"])
    #expect(book.take(refresh: "s", now: later) == nil)
    #expect(book.take(refresh: "r2", now: start + PassBook.refreshTime) == nil)
  }
}
