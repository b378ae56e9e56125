/// The datagrams of all peers together, in a ``Status``.
///
/// Counted since the daemon started.
public struct NetworkStatus: Sendable, Hashable, Codable {
  /// Datagrams given to the kernel, sound and reports.
  public var packetsSent: Int
  /// Datagrams taken from the kernel, good and bad.
  public var packetsReceived: Int
  /// Datagrams that went no further, by reason (`truncated`, `unknownSource`, …).
  ///
  /// Only reasons that happened are listed.
  public var drops: [String: Int]

  /// The network's part.
  public init(packetsSent: Int, packetsReceived: Int, drops: [String: Int] = [:]) {
    self.packetsSent = packetsSent
    self.packetsReceived = packetsReceived
    self.drops = drops
  }
}
