/// A packet made in the loop's own memory, to be sent to any number of destinations.
///
/// Good until the handler's `woke` of the same wake-up has returned; using it later traps.
public struct PacketSlot: Sendable {
  let number: UInt32
  let generation: UInt64
  /// The packet's length.
  public let byteCount: Int
}
