import Audio
import Synchronization

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
