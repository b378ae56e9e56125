public import Cryptography

/// What people are shown of it.
extension MessageDesk {
  /// Up to where others have, and their users read, what this node sent them.
  public var receiptMarks: [NodeID: MessageMark] { book.receipts }

  /// Who does not have a message of this node yet, and may still get it.
  public func remaining(of key: MessageKey) -> [NodeID] { shelf[key]?.remaining ?? [] }

  /// Nodes that a message can be sealed for.
  public var knownNodes: Set<NodeID> { contacts.nodes }

  /// Octets that are kept for others.
  public var keptBytes: Int { shelf.bytes(besides: identity.id) }

  /// Messages of this node that not all have yet.
  public var waitingCount: Int { shelf.count(of: identity.id) }

  /// Grows whenever it becomes known, or another, who shares which group with this node.
  public var contactsRevision: Int { contacts.revision }

  /// Who has proved to share the secret of a group.
  public func members(of tag: GroupTag) -> Set<NodeID> { contacts.members(of: tag) }

  /// Lines that this node is on.
  public var joinedLines: [LineTag] { lines.joined }

  /// What a line is called; nil: nothing is known of it.
  public func name(of line: LineTag) -> String? { lines.name(of: line) }

  /// The conversation of the line that a user means: one that this node is on, or was, before others.
  public func line(named name: String) throws(SayError) -> Conversation {
    guard let tag = lines.tag(named: name) else { throw .badLine(name) }
    return .line(tag)
  }
}
