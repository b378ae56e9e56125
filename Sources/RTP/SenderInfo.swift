/// What a sender report says about its sender's stream (RFC 3550 §6.4.1).
public struct SenderInfo: Hashable, Sendable {
  /// The report's moment on the sender's clock.
  public var ntp: NTPTimestamp
  /// The same moment on the stream's media clock.
  public var rtpTimestamp: RTPTimestamp
  /// RTP packets sent since the stream began; wraps.
  public var packetCount: UInt32
  /// Octets of payload sent since the stream began; wraps.
  public var octetCount: UInt32

  /// Octets on the wire.
  static let byteCount = 20

  /// Makes the sender information from its fields.
  public init(
    ntp: NTPTimestamp, rtpTimestamp: RTPTimestamp, packetCount: UInt32, octetCount: UInt32
  ) {
    self.ntp = ntp
    self.rtpTimestamp = rtpTimestamp
    self.packetCount = packetCount
    self.octetCount = octetCount
  }

  init(at offset: Int, in bytes: RawSpan) {
    ntp = NTPTimestamp(rawValue: bytes.uint64(at: offset))
    rtpTimestamp = RTPTimestamp(rawValue: bytes.uint32(at: offset + 8))
    packetCount = bytes.uint32(at: offset + 12)
    octetCount = bytes.uint32(at: offset + 16)
  }

  func write(at offset: Int, into bytes: inout MutableRawSpan) {
    bytes.store(ntp.rawValue, at: offset)
    bytes.store(rtpTimestamp.rawValue, at: offset + 8)
    bytes.store(packetCount, at: offset + 12)
    bytes.store(octetCount, at: offset + 16)
  }
}
