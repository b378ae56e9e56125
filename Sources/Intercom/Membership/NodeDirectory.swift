import Cryptography
import Mesh

/// Who nodes are to the user: what they call themselves, where discovery sees them, whom the user named, who asks.
///
/// Bounded, as strangers can be made up.
struct NodeDirectory {
  private static let mostStrangers = 64
  private static let mostNames = 256

  /// Static peers as the user wrote them, by number.
  private(set) var named: [Int: String] = [:]
  /// Of those, the ones whose look-up failed, and is known to have.
  private var unresolved: Set<Int> = []
  /// Where discovery sees nodes, and what they are called there.
  private(set) var announced: [NodeID: (addresses: [NodeAddress], name: String)] = [:]
  private(set) var invitations: [NodeID: Invitation] = [:]
  /// Static peers that are in no group of ours, by the name they gave.
  private(set) var strangers: [NodeID: String] = [:]
  /// What nodes called themselves last, for as long as they are not too many.
  private var names: [NodeID: String]

  /// With what nodes called themselves in a former run.
  init(names: [NodeID: String]) { self.names = names }

  /// What a node called itself last; empty: nobody knows.
  func name(of node: NodeID) -> String { names[node] ?? "" }

  /// How a person reads of a node that it may not know by name.
  func words(for target: PeerTarget) -> String {
    switch target {
    case .named(let number): named[number] ?? "a static peer"
    case .node(let node): names[node] ?? node.words.joined(separator: " ")
    }
  }

  /// Remembers a name beyond its bearer's presence.
  mutating func note(_ name: String, of node: NodeID) {
    if names.count >= Self.mostNames, names[node] == nil { _ = names.popFirst() }
    names[node] = name
  }

  /// A node has no claim to its name any more.
  mutating func forgetName(of node: NodeID) { names[node] = nil }

  /// The user named somebody, `HOST:PORT`.
  ///
  /// - Returns: its number.
  mutating func add(_ peer: String) -> Int {
    named[named.count] = peer
    return named.count - 1
  }

  /// A static peer was looked up.
  ///
  /// - Returns: why it cannot be reached, to be told once, and again only after it was found in between.
  mutating func takeLookUp(
    of number: Int, found: Int, reachable: Int, reason: String?
  ) -> String? {
    guard reason != nil || reachable == 0 else {
      unresolved.remove(number)
      return nil
    }
    guard unresolved.insert(number).inserted else { return nil }
    if let reason { return reason }
    return found == 0
      ? "it has no address"
      : "it has only IPv6 addresses, and this node listens on IPv4 only; use --listen [::]:PORT"
  }

  /// Discovery sees a node, by a name that anybody could give.
  mutating func discover(_ node: NodeID, at addresses: [NodeAddress], name: String) {
    announced[node] = (addresses, name)
  }

  /// Discovery sees it no more.
  mutating func lose(_ node: NodeID) { announced[node] = nil }

  /// A stranger asks to be let in.
  mutating func add(_ invitation: Invitation) {
    invitations[invitation.node] = invitation
    note(invitation.profile.name, of: invitation.node)
  }

  /// It asks no more.
  mutating func endInvitation(of node: NodeID) { invitations[node] = nil }

  /// A static peer is in no group of ours.
  mutating func addStranger(_ node: NodeID, name: String) {
    if strangers.count == Self.mostStrangers { _ = strangers.popFirst() }
    strangers[node] = name
    note(name, of: node)
  }

  /// It is none any more.
  mutating func endStranger(_ node: NodeID) { strangers[node] = nil }
}
