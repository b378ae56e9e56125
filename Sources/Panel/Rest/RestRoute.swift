internal import NIOHTTP1
internal import Remote

/// What REST has: method and path of each, who may, what it takes.
///
/// `Tests/PanelTests/Rest` holds `docs/openapi.json` against this.
enum RestRoute: CaseIterable {
  case conversations, messages, say, message, edit, delete, react, unreact, audio
  case uploadURL, sendAudio, upload
  case signIn, refresh
  case startSession, turn, endSession, sessions, session, deleteSession

  /// The longest content of what is JSON: a text with every octet escaped.
  private static let jsonBytes = 32_768

  var method: HTTPMethod {
    switch self {
    case .conversations, .messages, .message, .audio, .sessions, .session: .GET
    case .say, .uploadURL, .sendAudio, .signIn, .refresh, .startSession, .turn, .endSession: .POST
    case .edit: .PATCH
    case .delete, .unreact, .deleteSession: .DELETE
    case .upload, .react: .PUT
    }
  }

  /// As OpenAPI writes it.
  var path: String {
    let messages = "/api/v1/conversations/{conversation_id}/messages"
    return switch self {
    case .conversations: "/api/v1/conversations"
    case .messages, .say: messages
    case .message, .edit, .delete: messages + "/{message_id}"
    case .react, .unreact: messages + "/{message_id}/reaction"
    case .audio: messages + "/{message_id}/audio"
    case .uploadURL: messages + "/audio/upload-url"
    case .sendAudio: messages + "/audio"
    case .upload: "/api/v1/uploads/{upload_id}"
    case .signIn: "/v1/auth/login"
    case .refresh: "/v1/auth/refresh"
    case .startSession: "/v1/sessions/start"
    case .turn: "/v1/sessions/{session_id}/turn"
    case .endSession: "/v1/sessions/end"
    case .sessions: "/v1/sessions"
    case .session, .deleteSession: "/v1/sessions/{session_id}"
    }
  }

  /// What a token, or whoever is signed in at the page, needs; nil: the address itself is signed, or the content is
  /// what lets in.
  var rights: PageRights? {
    switch self {
    case .upload, .signIn, .refresh: nil
    case .conversations, .messages, .message, .audio: .listen
    case .delete: .operate
    // Whose sessions are whose, the assistant knows.
    default: .talk
    }
  }

  /// The longest JSON that it takes; 0: none.
  var bodyBytes: Int {
    switch self {
    case .say, .edit, .react, .uploadURL, .sendAudio, .signIn, .refresh, .startSession, .turn,
      .endSession:
      Self.jsonBytes
    default: 0
    }
  }

  /// Every status that it can have.
  var statuses: Set<Int> {
    let common: Set<Int> = [400, 401, 403, 421, 429, 500]
    return switch self {
    case .conversations: common.union([200])
    case .messages: common.union([200, 404, 422])
    case .say: common.union([201, 404, 409, 413, 415, 422, 507])
    case .message: common.union([200, 404])
    case .edit, .react: common.union([200, 404, 409, 413, 415, 422, 507])
    case .delete: common.union([204, 404, 507])
    case .unreact: common.union([204, 404, 409, 422, 507])
    case .audio: common.union([200, 206, 307, 404, 416])
    case .uploadURL: common.union([200, 404, 413, 415, 422])
    case .sendAudio: common.union([200, 201, 404, 409, 413, 415, 422, 507])
    case .signIn, .refresh: [200, 400, 401, 413, 415, 421, 429, 500]
    case .startSession: common.union([200, 404, 409, 413, 415, 422, 507])
    case .turn: common.union([200, 404, 409, 413, 415, 422, 507])
    case .endSession: common.union([204, 404, 413, 415])
    case .sessions: common.union([200, 404, 422, 507])
    case .session: common.union([200, 404, 507])
    case .deleteSession: common.union([204, 404, 507])
    case .upload: [200, 400, 403, 404, 409, 413, 415, 421, 429, 500, 507]
    }
  }

  /// What a path and a method mean.
  enum Match {
    case route(RestRoute, [String])
    /// The path has other methods.
    case methods([HTTPMethod])
    case nothing
  }

  /// Whether a path is REST's at all.
  static func owns(_ path: String) -> Bool {
    ["/api/v1/conversations", "/api/v1/uploads", "/v1"].contains {
      path == $0 || path.hasPrefix($0 + "/")
    }
  }

  /// Finds a route and its parameters, decoded (RFC 3986 §2.1).
  static func match(_ method: HTTPMethod, _ path: String) -> Match {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    var methods: [HTTPMethod] = []
    for route in allCases {
      guard let parameters = route.parameters(parts) else { continue }
      if route.method == method || (method == .HEAD && route.method == .GET) {
        return .route(route, parameters)
      }
      methods.append(route.method)
    }
    return methods.isEmpty ? .nothing : .methods(methods)
  }

  private static let words: [Substring: Set<String>] = [
    "{message_id}": ["audio"], "{session_id}": ["start", "end"],
  ]

  private func parameters(_ parts: [Substring]) -> [String]? {
    let own = path.split(separator: "/", omittingEmptySubsequences: false)
    guard own.count == parts.count else { return nil }
    var parameters: [String] = []
    for (part, own) in zip(parts, own) {
      if own.hasPrefix("{") {
        // No path means two things: nothing is called as what else stands there.
        guard let text = PercentText.decode(part), !text.isEmpty,
          Self.words[own]?.contains(text) != true
        else { return nil }
        parameters.append(text)
      } else if part != own {
        return nil
      }
    }
    return parameters
  }
}

/// Text in addresses (RFC 3986 §2.1).
enum PercentText {
  /// Nil: it is not encoded as it should be, or not UTF-8.
  static func decode(_ text: Substring) -> String? {
    var octets: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let octet = rest.popFirst() {
      guard octet == UInt8(ascii: "%") else {
        octets.append(octet)
        continue
      }
      guard rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
        rest.first != UInt8(ascii: "+")
      else { return nil }
      octets.append(value)
      rest = rest.dropFirst(2)
    }
    guard !octets.contains(0) else { return nil }
    return String(validating: octets, as: UTF8.self)
  }

  /// The parameters of a query; nil: it is malformed, or has one twice.
  static func parameters(_ query: String) -> [String: String]? {
    var parameters: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = String(parts.count > 1 ? parts[1] : "").map { $0 == "+" ? " " : $0 }
      guard let name = decode(parts[0]), let text = decode(String(value)[...]),
        parameters.updateValue(text, forKey: name) == nil
      else { return nil }
    }
    return parameters
  }
}
