import Cryptography

/// What members are called, as long as the node runs: who comes back has the name that it had, whoever came meanwhile.
///
/// Names of those that are away stay theirs, so that JACK's ports, and what is patched to them, mean the same node again.
struct MemberNames {
  /// Beyond so many, names of those that are away are free.
  private static let most = 256

  /// What each calls itself, cleaned, and what it is called.
  private var names: [NodeID: (wish: String, name: String)] = [:]

  /// The name of a member that calls itself `wish`: the one that it had by that, or the first that is nobody else's.
  mutating func name(of member: Member, wish: String, among members: [NodeID: Member]) -> String {
    if let known = names[member.node], known.wish == wish { return known.name }
    names[member.node] = nil
    if names.count >= Self.most { names = names.filter { members[$0.key] != nil } }
    let name = PeerName.unique(wish, among: Set(names.values.map(\.name)))
    names[member.node] = (wish, name)
    return name
  }
}
