import Audio

/// The mixes that guests hear: a bus each, of all that this node's ear hears but the guest itself, and the microphone.
///
/// Loop thread only; but for opening and closing it allocates nothing.
final class GuestBuses {
  private struct Place {
    let bus: MixBus
    /// What its guest says, which it does not hear.
    let own: PeerSlot
  }

  private let engine: AudioEngine
  private var places: [Place] = []
  /// What every slot gives to a guest that comes, by index.
  private var gains = [Float](repeating: 0, count: PeerSlot.count)

  init(_ engine: AudioEngine) { self.engine = engine }

  /// Opens the bus of a guest; nil: there is none left, or all fade out still.
  func open(for own: PeerSlot) -> MixBus? {
    let free = MixBus.guests.filter { bus in !places.contains { $0.bus == bus } }
    for bus in free {
      for slot in PeerSlot.all {
        engine.setGain(slot == own ? 0 : gains[slot.index], for: slot, on: bus)
      }
      guard engine.openMono(bus, isRead: true) else { continue }
      places.append(Place(bus: bus, own: own))
      return bus
    }
    return nil
  }

  /// Closes it; nobody reads it any more.
  func close(_ bus: MixBus) {
    engine.close(bus)
    places.removeAll { $0.bus == bus }
  }

  /// Sets how loud guests hear a slot, but for the one whose own it is.
  func set(_ gain: Float, of slot: PeerSlot) {
    gains[slot.index] = gain
    for place in places where place.own != slot { engine.setGain(gain, for: slot, on: place.bus) }
  }
}

/// Lets guests hear the node's own microphone: past the talk key, by a slot of the mix that no other bus has.
///
/// The slot's ring is filled as the capture ring is read, so both run by one clock; it is kept two periods ahead, as
/// codec frames and periods differ and the loop may be late by one.
///
/// Loop thread only; allocates nothing after `init`.
final class MicrophoneMonitor {
  private static let silence = [Float](repeating: 0, count: 1024)
  /// Beyond so much more than a write the sound is late by a stall, and is left out.
  private static let mostSurplusFrames = 2048

  let slot: PeerSlot
  private let engine: AudioEngine
  private let buses: GuestBuses

  /// With a slot that is attached.
  init(_ engine: AudioEngine, slot: PeerSlot, buses: GuestBuses) {
    (self.engine, self.slot, self.buses) = (engine, slot, buses)
    engine.setGain(0, for: slot)
    engine.setGain(0, for: slot, on: .recording)
    engine.setPan(0, for: slot)
  }

  /// Takes frames of the microphone at JACK's rate, silent where the talk key is up.
  func take(_ pcm: Span<Float>) {
    let fill = engine.fillFrames(of: slot)
    if fill > pcm.count + Self.mostSurplusFrames { return }
    if fill == 0 {
      var lead = 2 * (engine.periodTime()?.periodFrames ?? 0)
      while lead > 0 {
        let count = min(lead, Self.silence.count)
        _ = engine.write(Self.silence.span.extracting(..<count), to: slot)
        lead -= count
      }
    }
    _ = engine.write(pcm, to: slot)
  }

  /// The last guest left.
  func end() {
    buses.set(0, of: slot)
    engine.detach(slot)
  }
}
