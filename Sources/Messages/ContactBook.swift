internal import Cryptography

/// The nodes that messages can be sealed for: their keys, and which groups they share with this node.
struct ContactBook {
  private let identity: any MessageIdentity
  private var contacts: [NodeID: Contact]
  /// Grows with each change.
  private(set) var revision = 0

  init(_ contacts: [NodeID: Contact], of identity: any MessageIdentity) {
    self.contacts = contacts
    self.identity = identity
  }

  var nodes: Set<NodeID> { Set(contacts.keys) }

  func knows(_ node: NodeID) -> Bool { contacts[node] != nil }

  /// What a card says of the node at whose connection it came.
  func contact(_ card: Card, from node: NodeID) throws(MessageFault) -> Contact {
    guard NodeID(of: card.key) == node else { throw .forged }
    let groups = identity.groups.filter {
      card.memberTags.contains($0.memberTag(of: node, to: identity.id))
    }
    return Contact(key: card.key, groups: Set(groups.map { GroupTag(of: $0) }))
  }

  /// Who was never a member here may write to a group, by its secret, but not to this node or a line.
  func welcomes(_ envelope: Envelope, _ blocked: Set<NodeID>) -> Bool {
    let sender = envelope.key.sender
    let isForAll = if case .group = envelope.audience { true } else { false }
    return !blocked.contains(sender) && (isForAll || knows(sender))
  }

  func isNews(_ contact: Contact, of node: NodeID) -> Bool { contacts[node] != contact }

  /// Who makes room for a new node; nil: there is room.
  ///
  /// - Parameters:
  ///   - waiting: nodes that something is held for.
  ///   - present: nodes that are on.
  func stale(waiting: Set<NodeID>, present: Set<NodeID>) -> NodeID? {
    guard contacts.count >= MessageLimits.contacts else { return nil }
    let away = contacts.keys.filter { !present.contains($0) }
    return away.filter { !waiting.contains($0) }.min() ?? away.min()
  }

  mutating func set(_ contact: Contact?, of node: NodeID) {
    contacts[node] = contact
    revision += 1
  }

  /// Who has proved to share the secret of a group.
  func members(of tag: GroupTag) -> Set<NodeID> {
    Set(contacts.filter { $0.value.groups.contains(tag) }.keys)
  }

  /// For whom a message of a conversation is, and how it is sealed.
  func audience(
    of conversation: Conversation, _ lines: LineBook
  ) throws(SayError) -> ([NodeID], SealingWay) {
    switch conversation {
    case .member(let node):
      guard node != identity.id else { throw .oneself }
      guard let contact = contacts[node] else { throw .unknownMember }
      return ([node], .member(contact.key))
    case .group(let tag):
      guard let group = identity.groups.first(where: { GroupTag(of: $0) == tag }) else {
        throw .noGroup
      }
      let nodes = contacts.filter { $0.value.groups.contains(tag) }.keys.sorted()
      guard !nodes.isEmpty else { throw .nobody }
      guard nodes.count <= MessageLimits.recipients else { throw .tooMany(count: nodes.count) }
      return (nodes, .group(group))
    case .line(let tag): return try audience(on: tag, lines)
    }
  }

  /// Of a private line each by its own key: the group's secret is others', too.
  private func audience(
    on tag: LineTag, _ lines: LineBook
  ) throws(SayError) -> ([NodeID], SealingWay) {
    let name = lines.name(of: tag) ?? "that was left"
    guard let people = lines.people(on: tag) else { throw .notOnLine(name) }
    let nodes = people.filter { contacts[$0] != nil }.sorted()
    guard !nodes.isEmpty else { throw .nobodyOnLine(name) }
    guard nodes.count <= MessageLimits.recipients else { throw .tooMany(count: nodes.count) }
    var (locks, rest): ([LineSeal.Lock], Set<NodeID>) = ([], people)
    var id: [UInt8]?
    if case .hidden(let octets) = tag { id = octets }
    for group in identity.groups where id == nil {
      let members = members(of: GroupTag(of: group))
      guard !rest.isDisjoint(with: members) else { continue }
      rest.subtract(members)
      locks.append(.group(group))
    }
    for (place, node) in nodes.enumerated() where rest.contains(node) {
      if let contact = contacts[node] { locks.append(.member(place: place, contact.key)) }
    }
    let address = LineAddress(name: name, id: id)
    return (nodes, .line(LineSeal(address: address, locks: locks)))
  }
}

/// How long a node ran, over all its runs: what is held ages by it.
struct RunClock {
  /// How often it is kept while something is held.
  private static let keepingNanoseconds: Int64 = 300_000_000_000

  private let firstSeconds: UInt64
  private let firstNanoseconds: Int64
  private var keptNanoseconds: Int64

  init(seconds: UInt64, atNanoseconds now: Int64) {
    firstSeconds = seconds
    (firstNanoseconds, keptNanoseconds) = (now, now)
  }

  func seconds(_ now: MessageTime) -> UInt64 {
    firstSeconds + UInt64(max(0, now.steadyNanoseconds - firstNanoseconds)) / 1_000_000_000
  }

  /// When it is to be kept again.
  var deadlineNanoseconds: Int64 { keptNanoseconds.saturating(adding: Self.keepingNanoseconds) }

  mutating func noteKept(_ now: MessageTime) { keptNanoseconds = now.steadyNanoseconds }
}
