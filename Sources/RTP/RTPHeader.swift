/// The header of an RTP packet as this project sends it: no contributing sources, no padding, and
/// as header extension at most the audio level, the lines that the packet is for, and how many
/// before it went to the same (RFC 3550 §5.1,
/// RFC 8285 §4.2, RFC 6464 §3).
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
  /// The party lines that the packet is for; nil: its stream's whole audience.
  public var lines: LineSet?
  /// How many packets right before it went to all that it goes to (``AudienceRun``); nil: all did.
  public var run: UInt8?

  /// Octets of the header without any extension.
  public static let fixedByteCount = 12
  /// Octets of the longest header that `write(into:)` makes.
  public static let maximumByteCount = fixedByteCount + 16

  /// Makes a header; only the low seven bits of `payloadType` can be sent.
  public init(
    marker: Bool, payloadType: UInt8, sequenceNumber: SequenceNumber, timestamp: RTPTimestamp,
    ssrc: SSRC, audioLevel: AudioLevel? = nil, lines: LineSet? = nil, run: UInt8? = nil
  ) {
    self.marker = marker
    self.payloadType = payloadType
    self.sequenceNumber = sequenceNumber
    self.timestamp = timestamp
    self.ssrc = ssrc
    self.audioLevel = audioLevel
    self.lines = lines
    self.run = run
  }

  /// Octets that `write(into:)` writes.
  public var byteCount: Int {
    Self.fixedByteCount
      + HeaderExtension.byteCount(audioLevel: audioLevel, lines: lines, run: run)
  }

  /// Writes the header to the start of `bytes`, ready for the payload behind it.
  ///
  /// Any thread; allocates nothing.
  /// - Returns: the octets written, or 0 when `bytes` is too short (then nothing is written).
  public func write(into bytes: inout MutableRawSpan) -> Int {
    let byteCount = byteCount
    guard bytes.byteCount >= byteCount else { return 0 }
    let hasExtension = byteCount > Self.fixedByteCount
    bytes.store(0x80 | (hasExtension ? 0x10 : 0) as UInt8, at: 0)
    bytes.store((payloadType & 0x7F) | (marker ? 0x80 : 0), at: 1)
    bytes.store(sequenceNumber.rawValue, at: 2)
    bytes.store(timestamp.rawValue, at: 4)
    bytes.store(ssrc.rawValue, at: 8)
    if hasExtension {
      HeaderExtension.write(
        audioLevel: audioLevel, lines: lines, run: run, at: Self.fixedByteCount, into: &bytes)
    }
    return byteCount
  }
}
