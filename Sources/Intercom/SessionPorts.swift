import Audio

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
