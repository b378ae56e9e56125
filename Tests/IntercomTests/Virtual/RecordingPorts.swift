import Audio

@testable import Intercom

/// The JACK ports that a station asked for; refuses where a test wants it to.
final class RecordingPorts: PeerPorts {
  private(set) var names: [PeerSlot: String] = [:]
  private(set) var busNames: [MixBus: String] = [:]
  /// Requests to come that are refused.
  var refusals = 0
  /// What JACK has no port for.
  var refused: Set<PeerSlot> = []

  func setPeerPort(_ slot: PeerSlot, peerName: String) -> Bool {
    guard isAccepted() else { return false }
    names[slot] = peerName
    return true
  }

  func isRefused(_ slot: PeerSlot) -> Bool { refused.contains(slot) }

  func clearPeerPort(_ slot: PeerSlot) -> Bool {
    guard isAccepted() else { return false }
    names[slot] = nil
    return true
  }

  func setBusPort(_ bus: MixBus, name: String) -> Bool {
    guard isAccepted() else { return false }
    busNames[bus] = name
    return true
  }

  func clearBusPort(_ bus: MixBus) -> Bool {
    guard isAccepted() else { return false }
    busNames[bus] = nil
    return true
  }

  private func isAccepted() -> Bool {
    guard refusals > 0 else { return true }
    refusals -= 1
    return false
  }
}
