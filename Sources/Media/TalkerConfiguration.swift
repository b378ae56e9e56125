public import RTP

/// What a talker sends.
public struct TalkerConfiguration: Hashable, Sendable {
  /// Packet durations a talker can make: 2.5, 5, 10, 20, 40 and 60 ms in frames.
  public static let supportedFramesPerPacket = [120, 240, 480, 960, 1920, 2880]

  /// Octets that encryption may add to a packet: a tag (16) and the number of the key (4).
  public static let protectionBytes = 20

  /// The stream's name on the wire.
  public var ssrc: SSRC
  /// The dynamic payload type that stands for Opus (RFC 7587 §7).
  public var payloadType: UInt8
  /// The dynamic payload type of packets with copies (RFC 2198 §5).
  public var redundantPayloadType: UInt8
  /// The dynamic payload type of packets that are sent again (RFC 4588 §8.1).
  public var resentPayloadType: UInt8
  /// Audio in a packet: one of `supportedFramesPerPacket`.
  public var framesPerPacket: Int
  /// Where sequence numbers begin; should be random (RFC 3550 §5.1).
  public var firstSequenceNumber: SequenceNumber
  /// Where time stamps begin; should be random (RFC 3550 §5.1).
  public var firstTimestamp: RTPTimestamp
  /// Whether nothing but a keep-alive is sent while nobody talks.
  public var usesDTX: Bool

  /// Makes a configuration.
  public init(
    ssrc: SSRC, payloadType: UInt8 = 111, redundantPayloadType: UInt8 = 112,
    resentPayloadType: UInt8 = 113, framesPerPacket: Int,
    firstSequenceNumber: SequenceNumber, firstTimestamp: RTPTimestamp, usesDTX: Bool = true
  ) {
    self.ssrc = ssrc
    self.payloadType = payloadType
    self.redundantPayloadType = redundantPayloadType
    self.resentPayloadType = resentPayloadType
    self.framesPerPacket = framesPerPacket
    self.firstSequenceNumber = firstSequenceNumber
    self.firstTimestamp = firstTimestamp
    self.usesDTX = usesDTX
  }
}
