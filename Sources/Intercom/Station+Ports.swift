import Audio
import JackSession
import Synchronization

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
        "JACK does not create port '\(portName(peer))', so \(peer.name) is in the mix only; "
          + "if this lasts, restart the JACK server"))
  }
}

/// The peers' JACK ports as the station sees them.
protocol PeerPorts: AnyObject {
  /// Gives the slot a port named after a peer, or renames the one it has; false: not taken on, ask again.
  func setPeerPort(_ slot: PeerSlot, peerName: String) -> Bool

  /// Whether JACK has no port for the slot; it is asked for again without our doing.
  func isRefused(_ slot: PeerSlot) -> Bool

  /// Takes the slot's port away; false: not taken on, ask again.
  func clearPeerPort(_ slot: PeerSlot) -> Bool
}

/// Peers' ports by way of JACK's session; a slot's next peer has its refusal told anew.
final class SessionPorts: PeerPorts {
  private let session: JackSession
  private let refusals: PortRefusals

  init(session: JackSession, refusals: PortRefusals) {
    self.session = session
    self.refusals = refusals
  }

  func setPeerPort(_ slot: PeerSlot, peerName: String) -> Bool {
    session.setPeerPort(slot, peerName: peerName)
  }

  func isRefused(_ slot: PeerSlot) -> Bool { session.refusesPort(of: slot) }

  func clearPeerPort(_ slot: PeerSlot) -> Bool {
    refusals.forget(slot)
    return session.clearPeerPort(slot)
  }
}

/// Says what to do when JACK refuses a peer its port: once a peer, whatever the peer calls itself meanwhile.
///
/// JACK's session tells on its thread, the loop forgets on its own.
final class PortRefusals: Sendable {
  private let refused = Mutex<Set<PeerSlot>>([])

  /// JACK's event as the node tells it; nil: it was told before.
  func told(_ event: JackSessionEvent) -> IntercomEvent? {
    guard case .peerPortRefused(let slot, _, _) = event else { return .audio(event) }
    let isNew = refused.withLock { $0.insert(slot).inserted }
    guard isNew else { return nil }
    return .audioFault(
      "\(event); if the server has run out of ports, start jackd with a larger --port-max")
  }

  /// The slot's peer has left.
  func forget(_ slot: PeerSlot) {
    refused.withLock { _ = $0.remove(slot) }
  }
}
