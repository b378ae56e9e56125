import Cryptography
import EventLoop

/// The peers of a node, bounded, looked up by the address a datagram came from.
///
/// Loop thread only.
struct PeerTable {
  private(set) var all: [Peer] = []
  private var indexByAddress: [SocketAddress: Int] = [:]
  let capacity: Int

  /// Reserves room for `capacity` peers.
  init(capacity: Int) {
    self.capacity = capacity
    all.reserveCapacity(capacity)
    indexByAddress.reserveCapacity(capacity)
  }

  var isFull: Bool { all.count >= capacity }

  subscript(address: SocketAddress) -> Peer? {
    guard let index = indexByAddress[address] else { return nil }
    return all[index]
  }

  /// Adds a peer; false when the table is full or has that address already.
  mutating func add(_ peer: Peer) -> Bool {
    guard !isFull, indexByAddress[peer.address] == nil else { return false }
    indexByAddress[peer.address] = all.count
    all.append(peer)
    return true
  }

  mutating func remove(_ peer: Peer) {
    guard let index = indexByAddress.removeValue(forKey: peer.address) else { return }
    all.remove(at: index)
    for position in index..<all.count { indexByAddress[all[position].address] = position }
  }

  /// The peer a user means; of a member with several addresses its connected entry, or the first (see ``NodeSearch``).
  func find(_ text: String) throws(IntercomError) -> Peer {
    var seen: Set<NodeID> = []
    let shown = all.filter { peer in
      if let connected = peer.member.connected { return peer === connected }
      return seen.insert(peer.member.node).inserted
    }
    let search = NodeSearch(
      candidates: shown.map { peer in
        NodeSearch.Candidate(
          node: peer.member.node, name: peer.name, isPresent: peer.state == .connected)
      })
    return shown[try search.index(of: text)]
  }
}
