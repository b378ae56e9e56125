internal import Glibc
internal import Mesh
internal import NIOCore

/// Kernel's socket addresses are read and written by the places of their fields (RFC 3493 §3.3, Linux's ip(7) and
/// ipv6(7)): the compiler takes their types for a module's of NIO that nobody else may import.
extension NodeAddress {
  private static let portOffset = 2
  private static let ipv4Offset = 4
  private static let ipv6Offset = 8
  private static let scopeOffset = 24

  /// The address of a socket; nil for none of the internet's.
  ///
  /// IPv4 inside of IPv6 (RFC 4291 §2.5.5.2) is IPv4.
  init?(_ address: SocketAddress?) {
    switch address {
    case .v4(let address):
      self = unsafe withUnsafeBytes(of: address.address) { fields in
        unsafe NodeAddress(
          .ipv4(
            UInt32(
              bigEndian: fields.loadUnaligned(fromByteOffset: Self.ipv4Offset, as: UInt32.self))),
          port: UInt16(
            bigEndian: fields.loadUnaligned(fromByteOffset: Self.portOffset, as: UInt16.self)))
      }
    case .v6(let address):
      self = unsafe withUnsafeBytes(of: address.address) { fields in
        let offset = Self.ipv6Offset
        let high = unsafe UInt64(
          bigEndian: fields.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        let low = unsafe UInt64(
          bigEndian: fields.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        let port = unsafe UInt16(
          bigEndian: fields.loadUnaligned(fromByteOffset: Self.portOffset, as: UInt16.self))
        if high == 0, low >> 32 == 0xFFFF {
          return NodeAddress(.ipv4(UInt32(truncatingIfNeeded: low)), port: port)
        }
        return unsafe NodeAddress(
          .ipv6(high, low), port: port,
          scope: fields.loadUnaligned(fromByteOffset: Self.scopeOffset, as: UInt32.self))
      }
    default: return nil
    }
  }

  /// What the system takes; nil for an observed host, which is nowhere.
  var socketAddress: SocketAddress? {
    var octets = ByteBuffer()
    switch host {
    case .observed: return nil
    case .ipv4(let bits): octets.writeInteger(bits)
    case .ipv6(let high, let low): octets.writeMultipleIntegers(high, low)
    }
    let address = try? SocketAddress(packedIPAddress: octets, port: Int(port))
    guard scope != 0, case .v6(let unscoped) = address else { return address }
    var fields = unscoped.address
    unsafe withUnsafeMutableBytes(of: &fields) { fields in
      unsafe fields.storeBytes(of: scope, toByteOffset: Self.scopeOffset, as: UInt32.self)
    }
    return SocketAddress(fields)
  }

  /// As people write it: `192.0.2.1:5005`, `[2001:db8::1]:5005`.
  var text: String {
    guard let address = socketAddress, let host = address.ipAddress else { return "port \(port)" }
    let zone = scope == 0 ? "" : "%\(scope)"
    if case .ipv6 = self.host { return "[\(host)\(zone)]:\(port)" }
    return "\(host):\(port)"
  }
}

/// What the kernel is told about each connection.
enum SocketOptions {
  /// The most that TCP puts into a segment, either way: with the headers of IPv6 it is within 1280 octets (RFC 8200
  /// §5).
  ///
  /// A tunnel or PPPoE takes less than its ends know of, and where ICMP is filtered nobody tells them: a TLS handshake
  /// of full segments would never arrive. It costs a segment a handshake.
  static let segmentBytes = 1200
  /// Has to be set before a socket listens or connects: both ends then send such segments, whichever of them set it.
  static let segment = ChannelOptions.Types.SocketOption(
    level: .tcp, name: NIOBSDSocket.Option(rawValue: TCP_MAXSEG))

  /// Octets that the kernel takes beyond what it can send: what it has nobody can overtake.
  ///
  /// 8 KiB take 33 ms at 2 Mbit/s.
  static let unsentBytes = 8 * 1024

  /// Small messages go at once, and what is not acknowledged in time ends the connection.
  ///
  /// Until then what was lost is sent again at even times, where TCP else doubles its wait each time: over a way that
  /// voices fill, heartbeats would come too late for the other end not to take this one for gone.
  static func apply(_ configuration: ControlPlaneConfiguration, to channel: any Channel) throws {
    guard let options = channel.syncOptions else { return }
    try options.setOption(.tcpOption(.tcp_nodelay), value: 1)
    let milliseconds = configuration.times.stallNanoseconds / 1_000_000
    try options.setOption(
      .tcpOption(NIOBSDSocket.Option(rawValue: TCP_USER_TIMEOUT)), value: .init(milliseconds))
    try options.setOption(
      .tcpOption(NIOBSDSocket.Option(rawValue: TCP_THIN_LINEAR_TIMEOUTS)), value: 1)
    try options.setOption(
      .tcpOption(NIOBSDSocket.Option(rawValue: TCP_NOTSENT_LOWAT)), value: .init(unsentBytes))
    guard let bytes = configuration.socketBytes else { return }
    try options.setOption(.socketOption(.so_sndbuf), value: .init(bytes))
    try options.setOption(.socketOption(.so_rcvbuf), value: .init(bytes))
  }
}
