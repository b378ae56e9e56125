internal import Synchronization

/// Whose ports JACK refuses, as other threads read it; a bit a slot.
final class PortRefusalBits: Sendable {
  private let bits = Atomic<UInt64>(0)

  /// Takes in whose; the session's thread.
  func tell(_ slots: Set<PeerSlot>) {
    bits.store(slots.reduce(0) { $0 | 1 << UInt64($1.index) }, ordering: .relaxed)
  }

  /// Whether a slot is among them.
  func contain(_ slot: PeerSlot) -> Bool {
    bits.load(ordering: .relaxed) >> UInt64(slot.index) & 1 == 1
  }
}
