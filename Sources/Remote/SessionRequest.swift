/// What a remote can ask about hosted sessions; in JSON the word is that of the command, as `session-host`.
public enum SessionRequest: Sendable, Hashable {
  /// Hosts a session under a name: the talk of a line, or the own words alone.
  case host(name: String, line: String?, isSolo: Bool)
  /// Joins the session of that name, host or ID.
  case join(session: String)
  /// Leaves it; nil: the only one that is joined.
  case leave(session: String?)
  /// Goes on with a session whose host is gone.
  case resume(session: String)
  /// Ends the one that this node hosts.
  case end

  enum Kind: String, CaseIterable {
    case host = "session-host"
    case join = "session-join"
    case leave = "session-leave"
    case resume = "session-continue"
    case end = "session-end"
  }

  private enum Key: String, CodingKey { case request, name, line, solo, session }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    switch kind {
    case .host:
      self = .host(
        name: try fields.decode(String.self, forKey: .name),
        line: try fields.decodeIfPresent(String.self, forKey: .line),
        isSolo: try fields.decodeIfPresent(Bool.self, forKey: .solo) ?? false)
    case .join: self = .join(session: try fields.decode(String.self, forKey: .session))
    case .leave: self = .leave(session: try fields.decodeIfPresent(String.self, forKey: .session))
    case .resume: self = .resume(session: try fields.decode(String.self, forKey: .session))
    case .end: self = .end
    }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(kind.rawValue, forKey: .request)
    switch self {
    case .host(let name, let line, let isSolo):
      try fields.encode(name, forKey: .name)
      try fields.encodeIfPresent(line, forKey: .line)
      if isSolo { try fields.encode(true, forKey: .solo) }
    case .join(let session), .resume(let session): try fields.encode(session, forKey: .session)
    case .leave(let session): try fields.encodeIfPresent(session, forKey: .session)
    case .end: break
    }
  }

  private var kind: Kind {
    switch self {
    case .host: .host
    case .join: .join
    case .leave: .leave
    case .resume: .resume
    case .end: .end
    }
  }
}
