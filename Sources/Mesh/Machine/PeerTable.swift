import Cryptography

/// The known peers, within bounds, and the order in which they became members.
struct PeerTable {
  private var peers = OrderedTable<PeerTarget, Peer>()
  /// The last admission.
  private(set) var revision: UInt64 = 0

  /// Whether there is room for a peer.
  enum Room {
    case free
    /// In the place of this one.
    case instead(of: Peer)
    case none
  }

  /// In the order in which they came.
  var all: [Peer] { peers.values }

  /// Those that are members, in the order of their admission.
  var members: [Peer] {
    peers.values.filter { $0.member != nil }.sorted { $0.revision < $1.revision }
  }

  var memberCount: Int { peers.values.count { $0.member != nil } }

  subscript(node: NodeID) -> Peer? { peers[.node(node)] }

  subscript(target: PeerTarget) -> Peer? { peers[target] }

  /// Whether another static peer may be named.
  var hasRoomForNamed: Bool {
    peers.values.count { $0.node == nil } < MeshLimits.namedPeers
  }

  mutating func add(_ peer: Peer) { peers[peer.target] = peer }

  /// Forgets a peer.
  mutating func remove(_ peer: Peer) {
    peers[peer.target] = nil
    peer.isForgotten = true
  }

  /// Gives a peer its place among the members, after all others.
  mutating func admit(_ peer: Peer) {
    revision += 1
    peer.revision = revision
  }

  /// Hearsay keeps within its class; who is more than that takes the place of who is less.
  func room(for peer: Peer, isTrusted: (Peer) -> Bool) -> Room {
    guard peers.count >= MeshLimits.gossipedPeersPerMember else { return .free }
    if peer.isHearsay { return roomAmongHearsay(for: peer) }
    guard peers.count >= MeshLimits.peers else { return .free }
    let absent = peers.values.filter { $0.member == nil && !$0.sources.contains(.configured) }
    func order(_ peer: Peer) -> (Int, Int64) {
      (peer.isHearsay ? 0 : isTrusted(peer) ? 2 : 1, peer.signs.heardNanoseconds)
    }
    return absent.min { order($0) < order($1) }.map { .instead(of: $0) } ?? .none
  }

  /// Fresh ones may be real: only one that failed makes room, the worst first.
  private func roomAmongHearsay(for peer: Peer) -> Room {
    let limit = peer.isGossip ? MeshLimits.gossipedPeers : MeshLimits.announcedPeers
    var (kin, siblings) = (0, 0)
    var worstKin: Peer?
    var worstSibling: Peer?
    for other in peers.values where other.isHearsay && other.isGossip == peer.isGossip {
      kin += 1
      if Self.isWorse(other, worstKin) { worstKin = other }
      guard peer.isGossip, other.informant == peer.informant else { continue }
      siblings += 1
      if Self.isWorse(other, worstSibling) { worstSibling = other }
    }
    let isFamilyFull = siblings >= MeshLimits.gossipedPeersPerMember
    guard isFamilyFull || kin >= limit || peers.count >= MeshLimits.peers else { return .free }
    return (isFamilyFull ? worstSibling : worstKin).map { .instead(of: $0) } ?? .none
  }

  private static func isWorse(_ peer: Peer, _ worst: Peer?) -> Bool {
    peer.backOff.failureCount > worst?.backOff.failureCount ?? 0
  }
}
