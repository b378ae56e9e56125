/// The header of an RTP packet as this project sends it: no contributing sources, no padding, and
/// at most the audio level as header extension (RFC 3550 §5.1, RFC 8285 §4.2, RFC 6464 §3).
public struct RTPHeader: Hashable, Sendable {
  /// The marker bit; for Opus the first packet of a talk spurt (RFC 7587 §4.1).
  public var marker: Bool
  /// The payload type, from 0 to 127.
  ///
  /// The parser accepts all; whoever has the session checks it.
  public var payloadType: UInt8
  /// The packet's place in the stream.
  public var sequenceNumber: SequenceNumber
  /// The media time of the payload's first sample.
  public var timestamp: RTPTimestamp
  /// The stream the packet belongs to.
  public var ssrc: SSRC
  /// The level of the packet's audio where the sender tells it.
  public var audioLevel: AudioLevel?

  /// Octets of the header without any extension.
  public static let fixedByteCount = 12
  /// Octets of the longest header that `write(into:)` makes.
  public static let maximumByteCount = fixedByteCount + 8

  /// Makes a header; only the low seven bits of `payloadType` can be sent.
  public init(
    marker: Bool, payloadType: UInt8, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp,
    ssrc: SSRC, audioLevel: AudioLevel? = nil
  ) {
    self.marker = marker
    self.payloadType = payloadType
    self.sequenceNumber = sequenceNumber
    self.timestamp = timestamp
    self.ssrc = ssrc
    self.audioLevel = audioLevel
  }

  /// Octets that `write(into:)` writes.
  public var byteCount: Int {
    audioLevel == nil ? Self.fixedByteCount : Self.maximumByteCount
  }

  /// Writes the header to the start of `bytes`, ready for the payload behind it.
  ///
  /// Any thread; allocates nothing.
  /// - Returns: the octets written, or 0 when `bytes` is too short (then nothing is written).
  public func write(into bytes: inout MutableRawSpan) -> Int {
    guard bytes.byteCount >= byteCount else { return 0 }
    let extensionBit: UInt8 = audioLevel == nil ? 0 : 0x10
    bytes.store(0x80 | extensionBit, at: 0)
    bytes.store((payloadType & 0x7F) | (marker ? 0x80 : 0), at: 1)
    bytes.store(sequenceNumber.rawValue, at: 2)
    bytes.store(timestamp.rawValue, at: 4)
    bytes.store(ssrc.rawValue, at: 8)
    if let audioLevel {
      bytes.store(HeaderExtension.oneByteProfile, at: 12)
      bytes.store(1 as UInt16, at: 14)
      // The low four bits are the length less one (RFC 8285 §4.2); two octets of padding follow.
      bytes.store(AudioLevel.extensionID << 4, at: 16)
      bytes.store(audioLevel.octet, at: 17)
      bytes.store(0 as UInt16, at: 18)
    }
    return byteCount
  }
}
