/// What becomes of a packet on a link.
public enum PacketFate: Hashable, Sendable {
  /// It never arrives.
  case lost
  /// The queue of the rate cap was full.
  case dropped
  /// It arrives, perhaps twice.
  case arrives(atNanoseconds: Int64, copyAtNanoseconds: Int64?)
}
