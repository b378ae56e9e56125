public import RTP

/// The format of a talker's stream.
public struct TalkerConfiguration: Hashable, Sendable {
  /// Packet durations a talker can make: 2.5, 5, 10, 20, 40 and 60 ms in frames.
  public static let supportedFramesPerPacket = [120, 240, 480, 960, 1920, 2880]

  /// Octets that encryption may add to a packet: a tag (16) and the number of the key (4).
  public static let protectionBytes = 20

  /// The base stream's SSRC; nil: there is none, as all streams are opened.
  public var ssrc: SSRC?
  /// The dynamic payload type that stands for Opus (RFC 7587 §7).
  public var payloadType: UInt8
  /// The dynamic payload type of packets with copies (RFC 2198 §5).
  public var redundantPayloadType: UInt8
  /// The dynamic payload type of RTX packets (RFC 4588 §8.1).
  public var resentPayloadType: UInt8
  /// Audio in a packet: one of `supportedFramesPerPacket`.
  public var framesPerPacket: Int
  /// Where sequence numbers begin; should be random (RFC 3550 §5.1).
  public var firstSequenceNumber: SequenceNumber
  /// Where time stamps begin; should be random (RFC 3550 §5.1).
  public var firstTimestamp: RTPTimestamp
  /// Whether DTX is on: only keep-alives while nobody talks.
  public var usesDTX: Bool

  /// Channels of what is coded, 1 or 2.
  public var channels = 1

  /// Makes a configuration.
  public init(
    ssrc: SSRC?, payloadType: UInt8 = 111, redundantPayloadType: UInt8 = 112,
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

/// What a talker has sent so far.
public struct TalkerCounters: Hashable, Sendable {
  /// Packets made, keep-alives included.
  public internal(set) var packets = 0
  /// Payload bytes in them, headers not counted (RFC 3550 §6.4.1 counts so).
  public internal(set) var payloadOctets = 0
  /// RTX packets written.
  public internal(set) var resentPackets = 0
  /// Codec frames not sent because nobody talked.
  public internal(set) var suppressedFrames = 0
  /// Codec frames lost because the encoder refused them.
  public internal(set) var encoderErrors = 0
}

/// A talker's encoders.
///
/// The codec decides at its making for which mode it is, so each mode has its own.
public struct TalkerEncoders {
  /// Codes at the talker's bit rate.
  public var full: any FrameEncoder
  /// Codes at the low rate; nil: copies have the full one.
  public var lean: (any FrameEncoder)?
  /// Codes in the speech mode; nil: there is none, or `full` does.
  public var speech: (any FrameEncoder)?
  /// Codes in the speech mode at the low rate.
  public var leanSpeech: (any FrameEncoder)?

  /// Names the encoders, each for one place only.
  public init(
    full: any FrameEncoder, lean: (any FrameEncoder)? = nil, speech: (any FrameEncoder)? = nil,
    leanSpeech: (any FrameEncoder)? = nil
  ) {
    self.full = full
    self.lean = lean
    self.speech = speech
    self.leanSpeech = leanSpeech
  }
}
