/// What a remote can ask about calls; in JSON the word is that of the command, as `call-clear`.
public enum CallRequest: Sendable, Hashable {
  /// Calls a member, or all who are on a line: one of both is given.
  ///
  /// - Parameter holder: who holds the call, where that may get lost: as with a key. Nil: it rings by itself.
  case call(peer: String?, line: String?, holder: String?)
  /// Ends a call of this node.
  case end(peer: String?, line: String?)
  /// Asks for all calls; the answer is ``ControlResponse/calls(_:)``.
  case list
  /// Forgets calls that came: a member's, all, or the latest.
  case clear(peer: String?, isAll: Bool)
  /// Opens the reply key, or closes it.
  ///
  /// - Parameter clears: it closes, and the call is forgotten.
  case reply(clears: Bool)

  enum Kind: String, CaseIterable {
    case call
    case end = "call-end"
    case list = "call-list"
    case clear = "call-clear"
    case reply
  }

  private enum Key: String, CodingKey { case request, peer, line, holder, all, clear }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    func text(_ key: Key) throws -> String? {
      try fields.decodeIfPresent(String.self, forKey: key)
    }
    func target() throws -> (String?, String?) {
      let (peer, line) = (try text(.peer), try text(.line))
      guard (peer == nil) != (line == nil) else {
        throw DecodingError.dataCorruptedError(
          forKey: .peer, in: fields, debugDescription: "give a peer or a line, and not both")
      }
      return (peer, line)
    }
    switch kind {
    case .list: self = .list
    case .call:
      let (peer, line) = try target()
      self = .call(peer: peer, line: line, holder: try text(.holder))
    case .end:
      let (peer, line) = try target()
      self = .end(peer: peer, line: line)
    case .clear:
      self = .clear(
        peer: try text(.peer), isAll: try fields.decodeIfPresent(Bool.self, forKey: .all) ?? false)
    case .reply:
      self = .reply(clears: try fields.decodeIfPresent(Bool.self, forKey: .clear) ?? false)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(kind.rawValue, forKey: .request)
    switch self {
    case .list: break
    case .call(let peer, let line, let holder):
      try fields.encodeIfPresent(peer, forKey: .peer)
      try fields.encodeIfPresent(line, forKey: .line)
      try fields.encodeIfPresent(holder, forKey: .holder)
    case .end(let peer, let line):
      try fields.encodeIfPresent(peer, forKey: .peer)
      try fields.encodeIfPresent(line, forKey: .line)
    case .clear(let peer, let isAll):
      try fields.encodeIfPresent(peer, forKey: .peer)
      if isAll { try fields.encode(true, forKey: .all) }
    case .reply(let clears): if clears { try fields.encode(true, forKey: .clear) }
    }
  }

  private var kind: Kind {
    switch self {
    case .call: .call
    case .end: .end
    case .list: .list
    case .clear: .clear
    case .reply: .reply
    }
  }
}
