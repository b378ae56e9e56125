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

  /// The peer a user means by `name`: exact first, then ignoring case.
  func named(_ name: String) -> Peer? {
    guard !name.isEmpty else { return nil }
    let exact =
      all.first { $0.name == name && $0.state == .connected } ?? all.first { $0.name == name }
    return exact ?? all.first { $0.name.lowercased() == name.lowercased() }
  }
}
