import Cryptography

/// Whom users mean by names of members and groups.
struct MemberBook {
  /// What members are called here, present or away.
  var called: [NodeID: String] = [:]
  /// Who has proved to share which group's secret.
  var groups: [GroupLabel: Set<NodeID>] = [:]

  /// The member of a name; nil: there is none, or more than one.
  func node(_ name: MemberName) -> NodeID? { name.node(among: called) }

  /// Who hears a key's target on a stream of its own; nil: it has none, or nobody is there.
  func audience(
    of target: KeyTarget, among members: Set<NodeID>
  ) -> (audience: Audience, nodes: Set<NodeID>)? {
    switch target {
    case .member(let name):
      guard let node = node(name), members.contains(node) else { return nil }
      return (.member(node), [node])
    case .group(let group):
      let nodes = groups[group]?.intersection(members) ?? []
      return nodes.isEmpty ? nil : (.group(group), nodes)
    case .line, .reply, .announcement, .allLines, .assistant: return nil
    }
  }
}

/// Whom the keys talk to.
struct TalkPlan {
  let effect: KeyDesk.Effect
  private(set) var lines: Set<LineName>
  private(set) var isAnnouncing = false
  /// Of streams of their own, with who is in them.
  private(set) var audiences: [Audience: Set<NodeID>] = [:]
  /// Those of them that are groups.
  private(set) var groups: Set<Audience> = []

  /// Nobody.
  init() { (effect, lines) = (KeyDesk.Effect(), []) }

  /// What all keys together do, with whom they mean.
  init(
    _ effect: KeyDesk.Effect, answering: CallOrigin?, own: OwnLines, members: Set<NodeID>,
    book: MemberBook, privates: PrivateLines
  ) {
    (self.effect, lines) = (effect, effect.talks)
    for target in effect.targets {
      if target == .announcement { isAnnouncing = true }
      if target == .reply, let answering {
        reply(to: answering, own: own, isMember: members.contains(answering.node))
      }
      guard let (audience, nodes) = book.audience(of: target, among: members) else { continue }
      audiences[audience] = nodes
      if case .group = target { groups.insert(audience) }
    }
    for line in lines {
      let nodes = members.intersection(privates.people(on: line))
      if !nodes.isEmpty, let audience = privates.audience(of: line) { audiences[audience] = nodes }
    }
  }

  private mutating func reply(to origin: CallOrigin, own: OwnLines, isMember: Bool) {
    if let line = origin.line {
      if own.has(line) { lines.insert(line) }
    } else if isMember {
      audiences[.member(origin.node)] = [origin.node]
    }
  }
}
