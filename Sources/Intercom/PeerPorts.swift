import Audio

/// The peers' JACK ports as the station sees them.
protocol PeerPorts: AnyObject {
  /// Gives the slot a port named after a peer, or renames the one it has; false: not taken on, ask again.
  func setPeerPort(_ slot: PeerSlot, peerName: String) -> Bool

  /// Whether JACK has no port for the slot; it is asked for again without our doing.
  func isRefused(_ slot: PeerSlot) -> Bool

  /// Takes the slot's port away; false: not taken on, ask again.
  func clearPeerPort(_ slot: PeerSlot) -> Bool
}
