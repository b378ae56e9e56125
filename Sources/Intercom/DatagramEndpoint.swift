import EventLoop

/// The socket as the station sees it; tests put a virtual network in its place.
///
/// Class-bound and held as an existential, not as a generic parameter: that costs one indirect call a packet, boxes and
/// allocates nothing, and leaves ``Station`` one plain class.
protocol DatagramEndpoint: AnyObject {
  var localAddress: SocketAddress { get }

  /// Makes a packet; nil: `fill` had nothing to send, or there is no room.
  func makePacket(_ fill: (inout MutableRawSpan) -> Int) -> PacketSlot?

  /// Sends a packet made in the same wake-up.
  func send(_ packet: PacketSlot, to destination: SocketAddress)

  /// Lets the next datagram cause a wake-up.
  func wakeOnDatagram()
}

extension UDPEndpoint: DatagramEndpoint {}
