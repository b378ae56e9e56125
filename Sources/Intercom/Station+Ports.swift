import Audio

/// Peers' JACK ports: asked for, and asked for again while JACK's session has no room for the wish.
extension Station {
  /// The peer's JACK port, as `jack_lsp` shows it.
  func portName(_ peer: Peer) -> String { "\(configuration.jackClient):peer_\(peer.name)" }

  /// Gives the peer a port of its name, or renames the one it has.
  func requestPort(_ peer: Peer) {
    guard let slot = peer.slot else { return }
    peer.isPortAwaited = !ports.setPeerPort(slot, peerName: peer.name)
    if peer.isPortAwaited {
      tellDelay(peer)
    } else {
      unclearedSlots.remove(slot)
    }
  }

  /// Takes the slot's port away.
  func clearPort(of slot: PeerSlot) {
    if !ports.clearPeerPort(slot) { unclearedSlots.insert(slot) }
  }

  /// Asks again for what was not taken on.
  func retryPorts() {
    for peer in peers.all where peer.isPortAwaited { requestPort(peer) }
    for slot in unclearedSlots where ports.clearPeerPort(slot) { unclearedSlots.remove(slot) }
  }

  private func tellDelay(_ peer: Peer) {
    guard !peer.isPortDelayTold else { return }
    peer.isPortDelayTold = true
    report(
      .audioFault(
        "JACK does not get to port '\(portName(peer))', \(peer.name) is heard in the mix only; "
          + "if this lasts, restart the JACK server"))
  }
}
