public import Remote
public import StatusSchema
internal import NIOCore
internal import NIOHTTP1

/// What the page's REST needs of the node's assistant; any thread.
public protocol RestAssistant: Sendable {
  /// Begins a call that is typed.
  func start(_ caller: AssistantCaller) async throws(RestFault) -> SessionStatus
  /// Says something, and waits for the whole answer; a session with these two turns.
  func turn(
    _ text: String, in session: String, _ caller: AssistantCaller
  ) async throws(RestFault) -> SessionStatus
  /// Ends a call.
  func end(_ session: String, _ caller: AssistantCaller) async throws(RestFault)
  /// The last sessions, the newest first, without their turns.
  func sessions(_ limit: Int, _ caller: AssistantCaller) async throws(RestFault) -> [SessionStatus]
  /// One session with its turns.
  func session(_ id: String, _ caller: AssistantCaller) async throws(RestFault) -> SessionStatus
  /// Deletes a session.
  func delete(_ session: String, _ caller: AssistantCaller) async throws(RestFault)
}

/// Sessions of the assistant by REST.
struct RestSessions: Sendable {
  /// The longest snippet of a summary, characters.
  private static let snippet = 120

  let assistant: any RestAssistant

  func answer(_ call: RestCall, _ body: [UInt8]) async throws(RestFault) -> PageAnswer {
    var caller = AssistantCaller()
    let owner = try call.owner
    // A program's name is the node's choice; a phone's is its own, and is no proof of anything.
    let name = call.isOfPage ? "page \(owner.id)" : owner.name
    (caller.context, caller.name, caller.rights) = ("page", name, owner.rights)
    let id = call.parameters.first ?? ""
    switch call.route {
    case .startSession:
      let wish = try call.json(RestBody.SessionWish.self, body)
      let context = wish.context ?? "page"
      guard ["node", "page", "key"].contains(context) else {
        throw RestFault(.unprocessable, "context is node, page or key")
      }
      caller.context = context
      return .json(.ok, RestBody.Started(try await assistant.start(caller)))
    case .turn:
      let text = try call.json(RestBody.Text.self, body).text
      guard text.utf8.count <= AssistantRequest.textBytes else {
        throw RestFault(
          .tooLarge, "a text has at most \(AssistantRequest.textBytes) bytes; say it in parts")
      }
      return .json(
        .ok, RestBody.Said(try await assistant.turn(text, in: id, caller)))
    case .endSession:
      try await assistant.end(try call.json(RestBody.SessionName.self, body).sessionID, caller)
      return .nothing
    case .sessions:
      let range = AssistantRequest.limitRange
      let limit = try call.number(
        "limit", within: Int64(range.lowerBound)...Int64(range.upperBound))
      let all = try await assistant.sessions(Int(limit ?? 50), caller)
      return .json(.ok, all.map { RestBody.SessionItem($0, snippet: Self.snippet) })
    case .session: return .json(.ok, RestBody.Session(try await assistant.session(id, caller)))
    default:
      try await assistant.delete(id, caller)
      return .nothing
    }
  }
}

extension PageAnswer {
  /// Done, and nothing to say.
  static var nothing: PageAnswer {
    PageAnswer(status: .noContent, headers: [("Cache-Control", "no-store")])
  }
}

extension RestBody {
  struct SessionWish: Decodable { var context: String? }

  struct SessionName: Decodable {
    private enum CodingKeys: String, CodingKey { case sessionID = "session_id" }
    var sessionID: String
  }

  struct Started: Encodable {
    private enum CodingKeys: String, CodingKey {
      case context
      case sessionID = "session_id"
      case roomName = "room_name"
      case startedAt = "started_at"
    }
    var sessionID: String, roomName: String, context: String, startedAt: String

    init(_ session: SessionStatus) {
      (sessionID, context) = (session.id, session.context)
      roomName = "assistant-\(session.id)"
      startedAt = InternetTime.text(session.startedUnixSeconds)
    }
  }

  struct Turn: Encodable {
    private enum CodingKeys: String, CodingKey {
      case speaker, text
      case createdAt = "created_at"
      case isInterrupted = "is_interrupted"
    }
    var speaker: String, text: String, createdAt: String, isInterrupted: Bool

    init(_ turn: SessionStatus.Turn) {
      (speaker, text, isInterrupted) = (turn.speaker, turn.text, turn.isInterrupted)
      createdAt = InternetTime.text(turn.unixSeconds)
    }
  }

  struct Said: Encodable {
    private enum CodingKeys: String, CodingKey {
      case turns
      case sessionID = "session_id"
    }
    var sessionID: String, turns: [Turn]

    init(_ session: SessionStatus) {
      sessionID = session.id
      turns = (session.turns ?? []).map { Turn($0) }
    }
  }

  struct SessionItem: Encodable {
    private enum CodingKeys: String, CodingKey {
      case id, title
      case summarySnippet = "summary_snippet"
      case startedAt = "started_at"
      case endedAt = "ended_at"
    }
    var id: String, title: String?, summarySnippet: String?, startedAt: String, endedAt: String?

    init(_ session: SessionStatus, snippet: Int) {
      (id, title) = (session.id, session.title)
      summarySnippet = session.summary.map {
        $0.count > snippet ? $0.prefix(snippet - 1) + "…" : $0
      }
      startedAt = InternetTime.text(session.startedUnixSeconds)
      endedAt = session.endedUnixSeconds.map { InternetTime.text($0) }
    }
  }

  struct Session: Encodable {
    private enum CodingKeys: String, CodingKey {
      case id, context, title, summary, turns
      case startedAt = "started_at"
      case endedAt = "ended_at"
    }
    var id: String, context: String, title: String?, summary: String?
    var startedAt: String, endedAt: String?, turns: [Turn]

    init(_ session: SessionStatus) {
      (id, context, title, summary) = (session.id, session.context, session.title, session.summary)
      startedAt = InternetTime.text(session.startedUnixSeconds)
      endedAt = session.endedUnixSeconds.map { InternetTime.text($0) }
      turns = (session.turns ?? []).map { Turn($0) }
    }
  }

  struct SignIn: Decodable { var token: String }

  struct Refresh: Decodable {
    private enum CodingKeys: String, CodingKey { case refreshToken = "refresh_token" }
    var refreshToken: String
  }

  struct Pass: Encodable {
    private enum CodingKeys: String, CodingKey {
      case accessToken = "access_token"
      case refreshToken = "refresh_token"
      case tokenType = "token_type"
      case expiresIn = "expires_in"
    }
    var accessToken: String, refreshToken: String, tokenType = "bearer", expiresIn: Int
  }
}
