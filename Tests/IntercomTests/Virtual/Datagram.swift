import EventLoop

/// Bytes on their way from one address to another.
struct Datagram {
  var source: SocketAddress
  var destination: SocketAddress
  var bytes: [UInt8]
  var arrivalNanoseconds: Int64 = 0

  /// RTCP shares the port with RTP; its packet types are 192 … 223 (RFC 5761 §4).
  var isReport: Bool { bytes.count > 1 && (192...223).contains(bytes[1]) }
}
