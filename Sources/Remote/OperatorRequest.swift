public import StatusSchema

/// What a remote can ask about operators, members that may set something at another node; in JSON the word is
/// `operator-allow`, `operator-deny`, `at` or `mic-kill`.
public enum OperatorRequest: Sendable, Hashable {
  /// Lets a member set something here.
  ///
  /// - Parameter rights: `mic-gain`, `levels`, `keys`, `kill`; none: all.
  case allow(peer: String, rights: [String])
  /// Lets it set nothing any more.
  case deny(peer: String)
  /// Asks the same of another node, which answers.
  indirect case at(peer: String, ControlRequest)
  /// Releases all latched keys; the answer, ``ControlResponse/done(note:)``, tells which stay open.
  case kill

  enum Kind: String, CaseIterable {
    case allow = "operator-allow"
    case deny = "operator-deny"
    case at
    case kill = "mic-kill"
  }

  private enum Key: String, CodingKey { case request, peer, rights, ask }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    func peer() throws -> String { try fields.decode(String.self, forKey: .peer) }
    switch kind {
    case .allow:
      self = .allow(
        peer: try peer(), rights: try fields.decodeIfPresent([String].self, forKey: .rights) ?? [])
    case .deny: self = .deny(peer: try peer())
    case .at:
      // Looked at before it is read: requests in requests would be read however deep they are.
      let inner = try fields.nestedContainer(keyedBy: Key.self, forKey: .ask)
      guard try inner.decode(String.self, forKey: .request) != Kind.at.rawValue else {
        throw DecodingError.dataCorruptedError(
          forKey: .ask, in: fields, debugDescription: "ask a node, and not a node by another one")
      }
      self = .at(peer: try peer(), try fields.decode(ControlRequest.self, forKey: .ask))
    case .kill: self = .kill
    }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    switch self {
    case .allow(let peer, let rights):
      try fields.encode(Kind.allow.rawValue, forKey: .request)
      try fields.encode(peer, forKey: .peer)
      if !rights.isEmpty { try fields.encode(rights, forKey: .rights) }
    case .deny(let peer):
      try fields.encode(Kind.deny.rawValue, forKey: .request)
      try fields.encode(peer, forKey: .peer)
    case .at(let peer, let request):
      try fields.encode(Kind.at.rawValue, forKey: .request)
      try fields.encode(peer, forKey: .peer)
      try fields.encode(request, forKey: .ask)
    case .kill: try fields.encode(Kind.kill.rawValue, forKey: .request)
    }
  }
}

/// Operators, as a table for a terminal of 100 columns.
public enum OperatorTable {
  /// A line each, ended by a line end: name, rights, how often it did something, and what it did last.
  public static func text(_ operators: [OperatorStatus]) -> String {
    operators.map { "\(row($0).prefix(StatusTable.columns))\n" }.joined()
  }

  private static func row(_ member: OperatorStatus) -> String {
    Cell.name(member.name, width: 24) + "  "
      + Cell.padded(Cell.clean(member.rights.joined(separator: " ")), width: 27, isLeft: true)
      + "  \(member.acts)" + (member.lastAct.map { "  \(Cell.clean($0))" } ?? "")
  }
}
