/// What a talker codes with.
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
