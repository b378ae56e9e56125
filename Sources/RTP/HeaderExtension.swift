/// Finds the audio level among the elements of a header extension (RFC 8285 §4).
enum HeaderExtension {
  /// "defined by profile" of the one-byte form (RFC 8285 §4.2).
  static let oneByteProfile: UInt16 = 0xBEDE
  /// The same of the two-byte form, whose low four bits the application owns (RFC 8285 §4.3).
  static let twoByteProfile: UInt16 = 0x1000

  /// Walks the elements in `body`, the octets behind the extension's length field.
  ///
  /// An extension of another profile holds nothing for us and is skipped, as are unknown elements.
  /// - Throws: `RTPParseError.headerExtension` when an element ends after the extension.
  static func audioLevel(
    profile: UInt16, body: Range<Int>, in bytes: borrowing RawSpan
  ) throws(RTPParseError) -> AudioLevel? {
    if profile == oneByteProfile { return try oneByteForm(body, in: bytes) }
    if profile & 0xFFF0 == twoByteProfile { return try twoByteForm(body, in: bytes) }
    return nil
  }

  private static func oneByteForm(
    _ body: Range<Int>, in bytes: borrowing RawSpan
  ) throws(RTPParseError) -> AudioLevel? {
    var level: AudioLevel?
    var offset = body.lowerBound
    while offset < body.upperBound {
      let start = bytes.octet(at: offset)
      offset += 1
      if start == 0 { continue }
      let (id, length) = (start >> 4, Int(start & 0x0F) + 1)
      // ID 15, and ID 0 with a length, end the walk; what came before still counts (§4.2).
      if id == 0 || id == 15 { break }
      guard length <= body.upperBound - offset else { throw .headerExtension }
      if id == AudioLevel.extensionID && length == 1 {
        level = AudioLevel(octet: bytes.octet(at: offset))
      }
      offset += length
    }
    return level
  }

  private static func twoByteForm(
    _ body: Range<Int>, in bytes: borrowing RawSpan
  ) throws(RTPParseError) -> AudioLevel? {
    var level: AudioLevel?
    var offset = body.lowerBound
    while offset < body.upperBound {
      let id = bytes.octet(at: offset)
      offset += 1
      if id == 0 { continue }
      guard offset < body.upperBound else { throw .headerExtension }
      let length = Int(bytes.octet(at: offset))
      offset += 1
      guard length <= body.upperBound - offset else { throw .headerExtension }
      if id == AudioLevel.extensionID && length == 1 {
        level = AudioLevel(octet: bytes.octet(at: offset))
      }
      offset += length
    }
    return level
  }
}

/// The level of the audio in a packet, sent with it so that meters need no decoder
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
