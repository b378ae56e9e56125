/// The smoothed difference of neighbouring packets' transit times (RFC 3550 §6.4.1, §A.8).
struct InterarrivalJitter {
  private var lastTransitNanoseconds: Int64?

  /// The estimate, which forgets a sixteenth with each packet.
  private(set) var nanoseconds: Int64 = 0

  /// Takes a packet's arrival minus its media time.
  mutating func add(transitNanoseconds transit: Int64) {
    if let last = lastTransitNanoseconds { nanoseconds += (abs(transit - last) - nanoseconds) / 16 }
    lastTransitNanoseconds = transit
  }

  /// Another time line begins.
  mutating func restart() { lastTransitNanoseconds = nil }
}
