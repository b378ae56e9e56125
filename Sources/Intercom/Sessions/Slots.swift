import Audio
import JackSession
import Lines
import Synchronization

/// The places in the mix and their JACK ports: who has none of either, and what JACK's session has yet to be told.
///
/// A port is asked for again while JACK's session has no room for the wish.
///
/// Loop thread only; rare, and may allocate.
final class Slots {
  /// A port that a slot is to have.
  private struct Wish {
    var name: String
    var isDelayTold = false
  }

  private let engine: AudioEngine
  private let ports: any PeerPorts
  private let client: String
  private let report: @Sendable (IntercomEvent) -> Void
  private var free: [PeerSlot] = PeerSlot.all.reversed()
  /// Ports that JACK's session has yet to take on.
  private var awaited: [PeerSlot: Wish] = [:]
  /// Slots whose port JACK's session has yet to be told to take away.
  private var uncleared: Set<PeerSlot> = []
  /// Ports of buses that JACK's session has yet to be told of; nil: there is to be none.
  private var awaitedBuses: [MixBus: String?] = [:]

  init(
    engine: AudioEngine, ports: any PeerPorts, client: String,
    report: @escaping @Sendable (IntercomEvent) -> Void
  ) {
    (self.engine, self.ports, self.client, self.report) = (engine, ports, client, report)
  }

  /// How many are free, those that still fade out included.
  var freeCount: Int { free.count }

  /// Takes one that is free and idle, the one that was used last first: its memory is touched already.
  func take() -> PeerSlot? {
    guard let slot = free.lastIndex(where: engine.isIdle).map({ free.remove(at: $0) })
    else { return nil }
    // As whoever had the place before left it.
    for bus in MixBus.patched { engine.setGain(0, for: slot, on: bus) }
    engine.setRank(SlotRank.ofPriorities[EarSettings.usualPriority], for: slot)
    return slot
  }

  /// Has one back, whose port goes.
  func give(_ slot: PeerSlot, hasPort: Bool) {
    free.append(slot)
    guard hasPort else { return }
    awaited[slot] = nil
    if !ports.clearPeerPort(slot) { uncleared.insert(slot) }
  }

  /// Gives a slot's port a name, which it has not got before.
  func requestPort(of slot: PeerSlot, named name: String) {
    if ports.setPeerPort(slot, peerName: name) {
      awaited[slot] = nil
      uncleared.remove(slot)
      return
    }
    var wish = awaited[slot] ?? Wish(name: name)
    wish.name = name
    if !wish.isDelayTold { tellDelay(of: name) }
    wish.isDelayTold = true
    awaited[slot] = wish
  }

  /// Asks again for what was not taken on.
  func retryPorts() {
    for (slot, wish) in awaited { requestPort(of: slot, named: wish.name) }
    for slot in uncleared where ports.clearPeerPort(slot) { uncleared.remove(slot) }
    for (bus, name) in awaitedBuses { setPort(of: bus, named: name) }
  }

  /// Gives a bus a port of that name, or takes it away.
  func setPort(of bus: MixBus, named name: String?) {
    let isTaken = name.map { ports.setBusPort(bus, name: $0) } ?? ports.clearBusPort(bus)
    if isTaken {
      awaitedBuses.removeValue(forKey: bus)
    } else {
      awaitedBuses.updateValue(name, forKey: bus)
    }
  }

  /// Whether JACK has the slot's port.
  func hasPort(_ slot: PeerSlot) -> Bool { awaited[slot] == nil && !ports.isRefused(slot) }

  /// A peer's JACK port, as `jack_lsp` shows it.
  func port(of name: String) -> PeerPort { PeerPort(client: client, peer: name) }

  private func tellDelay(of name: String) {
    report(.audioFault(.portIsLate(port(of: name))))
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

  /// Gives a bus a port, or renames the one it has; false: not taken on, ask again.
  func setBusPort(_ bus: MixBus, name: String) -> Bool

  /// Takes a bus' port away; false: not taken on, ask again.
  func clearBusPort(_ bus: MixBus) -> Bool
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

  func setBusPort(_ bus: MixBus, name: String) -> Bool { session.setBusPort(bus, name: name) }

  func clearBusPort(_ bus: MixBus) -> Bool { session.clearBusPort(bus) }
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
    return .audioFault(.portRefused(event))
  }

  /// The slot's peer has left.
  func forget(_ slot: PeerSlot) {
    refused.withLock { _ = $0.remove(slot) }
  }
}
