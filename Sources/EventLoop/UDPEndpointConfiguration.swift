/// The options of a UDP socket.
public struct UDPEndpointConfiguration: Sendable {
  /// Socket memory for datagrams that wait for the next wake-up.
  public var receiveBufferBytes: Int
  /// Socket memory for datagrams on their way out.
  public var sendBufferBytes: Int
  /// SO_PRIORITY, 0 … 6.
  public var priority: Int
  /// The DSCP in the upper six bits (RFC 2474 §3); 0xB8 is Expedited Forwarding (RFC 3246).
  public var trafficClass: UInt8

  /// 1 MiB to receive, 512 KiB to send, priority 6 and Expedited Forwarding unless told otherwise.
  public init(
    receiveBufferBytes: Int = 1 << 20, sendBufferBytes: Int = 1 << 19, priority: Int = 6,
    trafficClass: UInt8 = 0xB8
  ) {
    self.receiveBufferBytes = receiveBufferBytes
    self.sendBufferBytes = sendBufferBytes
    self.priority = priority
    self.trafficClass = trafficClass
  }
}
