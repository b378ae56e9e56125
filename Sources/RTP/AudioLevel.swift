/// The loudness of the audio in a packet, told beside it so that nobody needs to decode to meter
/// (RFC 6464 §3).
public struct AudioLevel: Hashable, Sendable {
  /// The local identifier of the header extension element (RFC 8285 §4.2).
  ///
  /// Constant here: there is no session description that could negotiate another.
  public static let extensionID: UInt8 = 1

  /// Level relative to full scale in dBov, from -127 for silence to 0 for overload.
  public let levelDBov: Int
  /// Whether the sender believes that the packet holds speech (the V bit).
  public let hasVoiceActivity: Bool

  /// Makes a level; values outside -127...0 are moved to the nearer end.
  public init(levelDBov: Int, hasVoiceActivity: Bool) {
    self.levelDBov = min(0, max(-127, levelDBov))
    self.hasVoiceActivity = hasVoiceActivity
  }

  /// Reads the element's data octet: V bit, then seven bits of -dBov (RFC 6464 §3, figure 1).
  public init(octet: UInt8) {
    self.init(levelDBov: -Int(octet & 0x7F), hasVoiceActivity: octet & 0x80 != 0)
  }

  /// The element's data octet.
  public var octet: UInt8 {
    UInt8(truncatingIfNeeded: -levelDBov) | (hasVoiceActivity ? 0x80 : 0)
  }
}
