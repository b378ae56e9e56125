public import Cryptography

/// What a ``CaptionDesk`` tells those who show or log it.
public enum CaptionEvent: Hashable, Sendable {
  /// A session began or ended, or its captioner is away or back.
  case session(CaptionSessionKey)
  /// A chunk is there, or is another.
  case chunk(CaptionSessionKey, UInt32)
  /// A session is held no more.
  case forgotten(CaptionSessionKey)
  /// What a node sent is not taken.
  case refused(from: NodeID, CaptionFault)
}

/// What a recogniser made of something that is said, so far.
public struct CaptionWords: Hashable, Sendable {
  /// All of it; what is too long is cut off.
  public var text: String
  /// How long it takes.
  public var durationMilliseconds: UInt32
  /// Whether it stays.
  public var isFinal: Bool
  /// BCP 47; empty: not known.
  public var language: String
  /// How sure the recogniser is, 0…100; nil: it does not say.
  public var confidencePercent: UInt8?

  /// Makes words.
  public init(
    _ text: String, durationMilliseconds: UInt32, isFinal: Bool = false, language: String = "",
    confidencePercent: UInt8? = nil
  ) {
    (self.text, self.durationMilliseconds) = (text, durationMilliseconds)
    (self.isFinal, self.language) = (isFinal, language)
    self.confidencePercent = confidencePercent
  }
}
