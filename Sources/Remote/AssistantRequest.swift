public import StatusSchema

/// What a remote can ask about the assistant; in JSON the word is that of the command, as `assistant-call`.
public enum AssistantRequest: Sendable, Hashable {
  /// Begins a call; the answer is ``ControlResponse/assistant(_:)`` with its session.
  ///
  /// - Parameters:
  ///   - isSpoken: by the station's microphone and in its ear; else in turns that are typed.
  ///   - guest: of a spoken call, by which page of the caller's phone, which is a guest of the station: the name that
  ///     it gave itself there, and told nobody else; nil: by the station.
  ///   - line: that hears the answers of a spoken call; empty: the caller alone does; nil: as the node has it set.
  case call(isSpoken: Bool, guest: String? = nil, line: String? = nil, AssistantCaller)
  /// Says something in a call, and waits for the whole answer, which is a session with these two turns; nil: in the
  /// last one that this caller types in, or a new one.
  case turn(session: String?, text: String, AssistantCaller)
  /// Ends a call; nil: that caller's.
  case end(session: String?, AssistantCaller)
  /// Asks what a caller is to agree to, and whether it has.
  case consent(AssistantCaller)
  /// Agrees, so that sessions are kept or not; nil: agrees no more, which deletes what was kept.
  case agree(keeps: Bool?, AssistantCaller)
  /// Asks for the last sessions, without their turns.
  case sessions(limit: Int?, AssistantCaller)
  /// Asks for one session with its turns.
  case show(session: String, AssistantCaller)
  /// Deletes a session; nil: all.
  case delete(session: String?, AssistantCaller)

  /// The longest text of a turn, bytes.
  public static let textBytes = 4096
  /// How many sessions can be asked for at once.
  public static let limitRange = 1...200

  enum Kind: String, CaseIterable {
    case call = "assistant-call"
    case turn = "assistant-turn"
    case end = "assistant-end"
    case consent = "assistant-consent"
    case agree = "assistant-agree"
    case sessions = "assistant-sessions"
    case show = "assistant-show"
    case delete = "assistant-delete"
  }

  private enum Key: String, CodingKey {
    case request, caller, session, text, keeps, limit, spoken, guest, line
  }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    let caller =
      try fields.decodeIfPresent(AssistantCaller.self, forKey: .caller) ?? AssistantCaller()
    func session() throws -> String { try fields.decode(String.self, forKey: .session) }
    func anySession() throws -> String? {
      try fields.decodeIfPresent(String.self, forKey: .session)
    }
    switch kind {
    case .call:
      self = .call(
        isSpoken: try fields.decodeIfPresent(Bool.self, forKey: .spoken) ?? false,
        guest: try fields.decodeIfPresent(String.self, forKey: .guest),
        line: try fields.decodeIfPresent(String.self, forKey: .line), caller)
    case .turn:
      let text = try fields.decode(String.self, forKey: .text)
      guard text.utf8.count <= Self.textBytes else {
        throw DecodingError.dataCorruptedError(
          forKey: .text, in: fields,
          debugDescription: "text has \(text.utf8.count) bytes, at most \(Self.textBytes)")
      }
      self = .turn(session: try anySession(), text: text, caller)
    case .end: self = .end(session: try anySession(), caller)
    case .consent: self = .consent(caller)
    case .agree:
      self = .agree(keeps: try fields.decodeIfPresent(Bool.self, forKey: .keeps), caller)
    case .sessions:
      let limit = try fields.decodeIfPresent(Int.self, forKey: .limit)
      guard limit.map(Self.limitRange.contains) ?? true else {
        throw DecodingError.dataCorruptedError(
          forKey: .limit, in: fields,
          debugDescription: "limit must be from 1 to \(Self.limitRange.upperBound)")
      }
      self = .sessions(limit: limit, caller)
    case .show: self = .show(session: try session(), caller)
    case .delete: self = .delete(session: try anySession(), caller)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(kind.rawValue, forKey: .request)
    try fields.encode(caller, forKey: .caller)
    switch self {
    case .consent: break
    case .call(let isSpoken, let guest, let line, _):
      try fields.encode(isSpoken, forKey: .spoken)
      try fields.encodeIfPresent(guest, forKey: .guest)
      try fields.encodeIfPresent(line, forKey: .line)
    case .turn(let session, let text, _):
      try fields.encodeIfPresent(session, forKey: .session)
      try fields.encode(text, forKey: .text)
    case .end(let session, _), .delete(let session, _):
      try fields.encodeIfPresent(session, forKey: .session)
    case .show(let session, _): try fields.encode(session, forKey: .session)
    case .agree(let keeps, _): try fields.encodeIfPresent(keeps, forKey: .keeps)
    case .sessions(let limit, _): try fields.encodeIfPresent(limit, forKey: .limit)
    }
  }

  private var kind: Kind {
    switch self {
    case .call: .call
    case .turn: .turn
    case .end: .end
    case .consent: .consent
    case .agree: .agree
    case .sessions: .sessions
    case .show: .show
    case .delete: .delete
    }
  }

  /// Who asks.
  public var caller: AssistantCaller {
    switch self {
    case .call(_, _, _, let caller), .turn(_, _, let caller), .end(_, let caller),
      .consent(let caller),
      .agree(_, let caller), .sessions(_, let caller), .show(_, let caller),
      .delete(_, let caller):
      caller
    }
  }

  /// The same of another caller.
  public func asked(by caller: AssistantCaller) -> AssistantRequest {
    switch self {
    case .call(let isSpoken, let guest, let line, _):
      .call(isSpoken: isSpoken, guest: guest, line: line, caller)
    case .turn(let session, let text, _): .turn(session: session, text: text, caller)
    case .end(let session, _): .end(session: session, caller)
    case .consent: .consent(caller)
    case .agree(let keeps, _): .agree(keeps: keeps, caller)
    case .sessions(let limit, _): .sessions(limit: limit, caller)
    case .show(let session, _): .show(session: session, caller)
    case .delete(let session, _): .delete(session: session, caller)
    }
  }
}

/// Who asks something of the assistant, and what they may have done.
public struct AssistantCaller: Sendable, Hashable, Codable {
  /// Where calls come from: `node`, `page` or `key`.
  public var context = "node"
  /// Who, on a station that several share; nil: the station.
  public var name: String?
  /// What the assistant may do for them; nil: whatever the station may.
  public var rights: PageRights?

  /// The station itself.
  public init() {}
}

/// What a node answers to an ``AssistantRequest``; what was not asked for is absent.
public struct AssistantAnswer: Sendable, Hashable, Codable {
  /// A session.
  public var session: SessionStatus?
  /// Sessions, the newest first.
  public var sessions: [SessionStatus]?
  /// What there is to agree to.
  public var consent: ConsentStatus?

  /// Nothing.
  public init() {}
}
