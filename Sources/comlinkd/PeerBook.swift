internal import EventLoop

/// Which address each peer of the user's has; one that two peers share is called until both have left it.
actor PeerBook {
  private let node: any PeerRegister
  private var addresses: [Endpoint: SocketAddress] = [:]

  init(node: any PeerRegister) {
    self.node = node
  }

  /// Where a peer was last; nil: not found yet.
  func address(of peer: Endpoint) -> SocketAddress? { addresses[peer] }

  /// Lets the node call a peer at this address and no longer at its former one.
  func move(_ peer: Endpoint, to address: SocketAddress) async {
    let former = addresses.updateValue(address, forKey: peer)
    guard former != address else { return }
    // First, as the former one may hold the last place of the node's table.
    if let former, !addresses.values.contains(former) { await node.removePeer(former) }
    await node.addPeer(address)
  }
}
