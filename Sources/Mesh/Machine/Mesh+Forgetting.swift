import Cryptography

/// Nodes that are no more, such as a box that was flashed anew: forgotten by one user, their names are free everywhere.
///
/// Whoever forgets a node that is away tells all members, and each that knew the node and does not have it as a member
/// frees its name, and tells its own members; a new member is told of the last ``MeshLimits/forgotten``. So it gets to
/// members that were away or on the other side of a cut. It is taken from the group's members and from trusted ones; it
/// takes nobody's trust and no block back, does nothing to a node that is here, and does not mean a later start than
/// the receiver knew. Each node is forgotten once.
extension Mesh {
  /// The user forgot a node: the others are told, unless it is here.
  func spreadForgetting(of node: NodeID, instance: UInt64, _ now: Int64) {
    guard node != self.node, instance > 0, isAway(node) else { return }
    ledger.noteForgotten(MeshMemory.Forgotten(node: node, instance: instance))
    peers[node]?.sources.remove(.gossiped)
    tell([MeshMemory.Forgotten(node: node, instance: instance)], except: nil)
  }

  func takeForgotten(_ told: ForgottenNodes, from link: Link, _ now: Int64) {
    guard isBelieved(link) else { return }
    var news: [MeshMemory.Forgotten] = []
    for one in told.nodes.prefix(ForgottenNodes.maximumNodes) where isAway(one.node) {
      // Only of whom is known here; and what one says of starts that nobody saw does not count for these.
      let known = ledger.instance(of: one.node)
      guard one.node != node, known > 0, known <= one.instance,
        ledger.forgottenInstance(of: one.node) ?? 0 < known
      else { continue }
      let one = MeshMemory.Forgotten(node: one.node, instance: known)
      // At once, so that a message that repeats a node tells of it once.
      ledger.noteForgotten(one)
      news.append(one)
      takeLeave(of: one.node)
      actions.append(.forgotten(one.node, by: link.node))
    }
    guard !news.isEmpty else { return }
    actions.append(.store)
    tell(news, except: link)
  }

  /// Tells a new member whom it may not know to be forgotten.
  func tellForgotten(on link: Link) {
    let nodes = ledger.forgotten.filter { $0.node != link.node }
    guard !nodes.isEmpty, isBelieved(link) else { return }
    actions.append(.send(.forgotten(ForgottenNodes(nodes: nodes)), link.connection))
  }

  private func tell(_ nodes: [MeshMemory.Forgotten], except source: Link?) {
    for link in links.all where link.isMember && link !== source && isBelieved(link) {
      actions.append(.send(.forgotten(ForgottenNodes(nodes: nodes)), link.connection))
    }
  }

  /// Whether one has a say in whom the group knows and who runs twice: not who is here by an open policy alone.
  func isBelieved(_ link: Link) -> Bool {
    link.provesGroup || ledger.trusted.contains(link.node)
  }

  private func isAway(_ node: NodeID) -> Bool {
    peers[node]?.member == nil && links.of(node).isEmpty
  }

  /// Looks for it no more, unless this node's own user wants it.
  private func takeLeave(of node: NodeID) {
    guard !ledger.trusted.contains(node), !ledger.blocked.contains(node) else { return }
    ledger.unlist(node)
    guard let peer = peers[node] else { return }
    peer.sources.subtract([.proven, .gossiped])
    if peer.sources.isEmpty { remove(peer) }
  }
}
