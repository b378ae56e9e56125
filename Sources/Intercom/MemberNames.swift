import Cryptography

/// What members are called: who comes back has the name that it had, whoever came meanwhile, also after a restart of this node.
///
/// Names of those that are away stay theirs, so that JACK's ports, and what is patched to them, mean the same node again.
struct MemberNames {
  /// Beyond so many, a name of one that is away is free for each that comes.
  private static let most = 256

  private(set) var memory: NameMemory

  /// Goes on with the names of a former run.
  init(_ memory: NameMemory = NameMemory()) { self.memory = memory }

  /// The name of a member that calls itself `wish`: the one that it had by that, or the first that is nobody else's.
  mutating func name(of member: Member, wish: String, among members: [NodeID: Member]) -> String {
    if let known = memory.entries[member.node], known.wish == wish { return known.name }
    memory.entries[member.node] = nil
    if memory.entries.count >= Self.most { freeOne(members) }
    let name = PeerName.unique(wish, among: Set(memory.entries.values.map(\.name)))
    memory.entries[member.node] = NameMemory.Entry(wish: wish, name: name)
    return name
  }

  /// One at a time: a crowd that comes once is not to cost all others their names.
  private mutating func freeOne(_ members: [NodeID: Member]) {
    let away = memory.entries.keys.lazy.filter { members[$0] == nil }
    if let node = away.first { memory.entries[node] = nil }
  }

  /// Lets others have the name of a node.
  mutating func free(_ node: NodeID) { memory.entries[node] = nil }
}
