@testable import EventLoop
@testable import Intercom

/// Keeps what a station sends.
final class VirtualEndpoint: DatagramEndpoint {
  let localAddress: SocketAddress
  private var packets: [[UInt8]] = []
  private var sent: [Datagram] = []
  /// Whether a datagram is to wake the station.
  var isWatchful = false

  init(localAddress: SocketAddress) { self.localAddress = localAddress }

  func makePacket(_ fill: (inout MutableRawSpan) -> Int) -> PacketSlot? {
    var bytes = [UInt8](repeating: 0, count: UDPEndpoint.maximumByteCount)
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    let byteCount = fill(&raw)
    guard byteCount > 0 else { return nil }
    packets.append(Array(bytes.prefix(byteCount)))
    return PacketSlot(number: UInt32(packets.count - 1), generation: 0, byteCount: byteCount)
  }

  func send(_ packet: PacketSlot, to destination: SocketAddress) {
    sent.append(
      Datagram(
        source: localAddress, destination: destination, bytes: packets[Int(packet.number)]))
  }

  func wakeOnDatagram() { isWatchful = true }

  /// What was sent since the last call.
  func takeSent() -> [Datagram] {
    packets.removeAll()
    defer { sent.removeAll() }
    return sent
  }
}
