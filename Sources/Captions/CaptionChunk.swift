public import Cryptography

/// Which session of captions: who captions, and a number that this node gave to no other of its own.
public struct CaptionSessionKey: Hashable, Sendable {
  /// Who captions.
  public let captioner: NodeID
  /// Greater than that of its sessions before.
  public let number: UInt64

  /// Makes a key.
  public init(captioner: NodeID, number: UInt64) {
    (self.captioner, self.number) = (captioner, number)
  }
}

extension CaptionSessionKey: Comparable {
  /// By number, then by captioner.
  public static func < (one: CaptionSessionKey, other: CaptionSessionKey) -> Bool {
    (one.number, one.captioner) < (other.number, other.captioner)
  }
}

/// Who talks in a chunk, as its captioner knows them.
public struct CaptionTalker: Hashable, Sendable {
  /// Whose voice it is.
  public let node: NodeID
  /// What it is called, at most ``CaptionLimits/nameBytes``.
  public let name: String
  /// What it is for; empty: nobody said.
  public let role: String
  /// The colour to show it in, 24 bits of red, green and blue.
  public let colourRGB: UInt32?

  /// Names are cut to what a chunk takes.
  public init(node: NodeID, name: String, role: String = "", colourRGB: UInt32? = nil) {
    self.node = node
    self.name = name.cut(toBytes: CaptionLimits.nameBytes)
    self.role = role.cut(toBytes: CaptionLimits.nameBytes)
    self.colourRGB = colourRGB.map { $0 & 0xFF_FFFF }
  }
}

/// What somebody says between two pauses, as text.
public struct CaptionChunk: Hashable, Sendable {
  /// Which of the session's it is; below ``CaptionLimits/chunks``.
  public let index: UInt32
  /// Grows each time its text changes.
  public internal(set) var revision: UInt32
  /// Who says it.
  public let talker: CaptionTalker
  /// When it begins, since the session began.
  public let startMilliseconds: UInt32
  /// How long it takes, so far.
  public internal(set) var durationMilliseconds: UInt32
  /// What, so far.
  public internal(set) var text: String
  /// Whether that stays.
  public internal(set) var isFinal: Bool
  /// The language, as BCP 47 writes it; empty: not known.
  public internal(set) var language: String
  /// How sure the service is, percent; nil: it does not say.
  public internal(set) var confidencePercent: UInt8?
  /// Whether nobody says it: what happened to the session, in words.
  public internal(set) var isMarker = false

  /// About what it takes.
  var byteCount: Int {
    128 + text.utf8.count + talker.name.utf8.count + talker.role.utf8.count
  }

  /// The chunk by another index, as it stands once its host says no more.
  func moved(to index: UInt32, isFinal: Bool) -> CaptionChunk {
    var chunk = CaptionChunk(
      index: index, revision: revision, talker: talker, startMilliseconds: startMilliseconds,
      durationMilliseconds: durationMilliseconds, text: text, isFinal: isFinal, language: language,
      confidencePercent: confidencePercent)
    chunk.isMarker = isMarker
    return chunk
  }

  /// Which of two versions holds: what is final, then what is newer, then, where somebody says two things by one
  /// number, the same at every reader.
  func isReplaced(by other: CaptionChunk) -> Bool {
    if isFinal != other.isFinal { return other.isFinal }
    if revision != other.revision { return other.revision > revision }
    return octets.lexicographicallyPrecedes(other.octets)
  }
}

extension CaptionChunk {
  /// A chunk as it was shown, so that it can be written to a file.
  public init(
    shownAs index: UInt32, by talker: CaptionTalker, startMilliseconds: UInt32,
    _ words: CaptionWords,
    isMarker: Bool
  ) {
    self.init(index: index, talker, startMilliseconds: startMilliseconds, words)
    self.isMarker = isMarker
  }

  private enum Flag {
    static let final: UInt8 = 1
    static let colour: UInt8 = 2
    static let marker: UInt8 = 4
  }
  private static let noConfidence: UInt8 = 255

  /// As it is signed and compared: index (4), revision (4), flags (1), talker (32), colour (3), start (4), duration
  /// (4), confidence (1), then name, role and language with a length of 1 octet each, and the text with one of 2.
  var octets: [UInt8] {
    var writer = CaptionWriter()
    writer.number(UInt64(index), byteCount: 4)
    writer.number(UInt64(revision), byteCount: 4)
    writer.number(
      UInt64(
        (isFinal ? Flag.final : 0) | (talker.colourRGB == nil ? 0 : Flag.colour)
          | (isMarker ? Flag.marker : 0)),
      byteCount: 1)
    writer.bytes(talker.node.octets)
    writer.number(UInt64(talker.colourRGB ?? 0), byteCount: 3)
    writer.number(UInt64(startMilliseconds), byteCount: 4)
    writer.number(UInt64(durationMilliseconds), byteCount: 4)
    writer.number(UInt64(confidencePercent ?? Self.noConfidence), byteCount: 1)
    writer.text(talker.name, lengthBytes: 1)
    writer.text(talker.role, lengthBytes: 1)
    writer.text(language, lengthBytes: 1)
    writer.text(text, lengthBytes: 2)
    return writer.octets
  }
}

extension String {
  /// The text cut to so many bytes, between two characters; none of it is lost if it is short enough.
  func cut(toBytes most: Int) -> String {
    guard utf8.count > most else { return self }
    var (end, bytes) = (startIndex, 0)
    while end < endIndex {
      let next = index(after: end)
      bytes += self[end..<next].utf8.count
      guard bytes <= most else { break }
      end = next
    }
    return String(self[..<end])
  }
}
