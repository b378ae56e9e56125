/// What a remote can ask about tokens by which programs use the page's REST; in JSON the word is `page-token-` and one
/// of `new`, `list`, `revoke`.
public enum PageTokenRequest: Sendable, Hashable {
  /// Makes one; the answer is ``ControlResponse/pageToken(_:)``, the only time that it is told.
  case new(name: String, rights: PageRights)
  /// Asks who has one; the answer is ``ControlResponse/pageSessions(_:)``.
  case list
  /// Revokes that of a name or ID; nil: all.
  case revoke(String?)

  enum Kind: String, CaseIterable {
    case new = "page-token-new"
    case list = "page-token-list"
    case revoke = "page-token-revoke"
  }

  private enum Key: String, CodingKey { case request, name, rights, token }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    switch kind {
    case .new:
      self = .new(
        name: try fields.decode(String.self, forKey: .name),
        rights: try fields.decode(PageRights.self, forKey: .rights))
    case .list: self = .list
    case .revoke: self = .revoke(try fields.decodeIfPresent(String.self, forKey: .token))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    switch self {
    case .new(let name, let rights):
      try fields.encode(Kind.new.rawValue, forKey: .request)
      try fields.encode(name, forKey: .name)
      try fields.encode(rights, forKey: .rights)
    case .list: try fields.encode(Kind.list.rawValue, forKey: .request)
    case .revoke(let token):
      try fields.encode(Kind.revoke.rawValue, forKey: .request)
      try fields.encodeIfPresent(token, forKey: .token)
    }
  }
}
