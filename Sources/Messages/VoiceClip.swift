public import Cryptography

/// Names the sealed audio of a voice message: the SHA-256 of the SHA-256 of each of its pieces, in their order.
///
/// Whoever holds it can check it without being able to hear it.
public struct AudioName: Hashable, Sendable {
  /// Octets of a name.
  public static let byteCount = Digest.sha256ByteCount

  /// The octets.
  public let octets: [UInt8]

  /// Takes a name; nil unless it has its length.
  public init?(octets: [UInt8]) {
    guard octets.count == Self.byteCount else { return nil }
    self.octets = octets
  }

  /// That of sealed pieces, by the hash of each.
  init(ofHashes hashes: [[UInt8]]) {
    let all = Array("comlink audio 1".utf8) + [0] + hashes.flatMap { $0 }
    octets = unsafe Digest.sha256(all.span.bytes)
  }

  static func hash(of piece: [UInt8]) -> [UInt8] { unsafe Digest.sha256(piece.span.bytes) }
}

/// What travels beside an envelope: sealed audio in pieces, for whoever has the envelope to ask for.
public struct Attachment: Hashable, Sendable {
  /// Octets of audio in a piece; the last may have fewer.
  public static let pieceBytes = 32 * 1024
  /// Octets of a sealed piece.
  static let sealedPieceBytes = pieceBytes + PieceSeal.extraByteCount

  /// Which audio.
  public let name: AudioName
  /// Octets of all sealed pieces together.
  public let byteCount: Int

  /// Takes what an envelope says; nil: no audio has that length.
  public init?(name: AudioName, byteCount: Int) {
    guard (PieceSeal.extraByteCount + 1...MessageLimits.audioBytes).contains(byteCount) else {
      return nil
    }
    self.name = name
    self.byteCount = byteCount
    guard self.byteCount(ofPiece: pieceCount - 1) > PieceSeal.extraByteCount else { return nil }
  }

  /// How many pieces there are.
  public var pieceCount: Int { (byteCount + Self.sealedPieceBytes - 1) / Self.sealedPieceBytes }

  /// Octets of a sealed piece.
  func byteCount(ofPiece number: Int) -> Int {
    min(Self.sealedPieceBytes, byteCount - number * Self.sealedPieceBytes)
  }
}

/// A voice message: what its readers need to hear it and to show it.
public struct VoiceClip: Hashable, Sendable {
  /// The audio, an Ogg Opus file (RFC 7845), sealed.
  public let attachment: Attachment
  /// What it is sealed with.
  public let seal: PieceSeal
  /// How long it sounds.
  public let milliseconds: Int
  /// The waveform: the greatest level of parts of equal length, 0 to 255 of full scale; at most
  /// ``MessageLimits/peaks``.
  public let peaks: [UInt8]

  /// Makes a clip; nil: its length or its waveform is beyond the limits.
  public init?(attachment: Attachment, seal: PieceSeal, milliseconds: Int, peaks: [UInt8]) {
    guard (1...MessageLimits.audioMilliseconds).contains(milliseconds),
      peaks.count <= MessageLimits.peaks
    else { return nil }
    (self.attachment, self.seal) = (attachment, seal)
    (self.milliseconds, self.peaks) = (milliseconds, peaks)
  }

  /// What is in the box: the seal's key (32 octets), length in milliseconds (4), the waveform.
  public var octets: [UInt8] {
    var writer = OctetWriter()
    writer.bytes(seal.key)
    writer.number(UInt64(milliseconds), byteCount: 4)
    writer.bytes(peaks)
    return writer.octets
  }

  /// Reads what ``octets`` writes; nil: it is none.
  public init?(_ octets: [UInt8], of attachment: Attachment) {
    var reader = OctetReader(octets)
    guard let key = try? Array(reader.bytes(PieceSeal.keyByteCount)),
      let seal = PieceSeal(key: key), let length = try? reader.number(4),
      let peaks = try? Array(reader.bytes(reader.rest))
    else { return nil }
    self.init(attachment: attachment, seal: seal, milliseconds: Int(length), peaks: peaks)
  }
}

/// Audio that is about to be sent, sealed.
public struct SealedAudio: Sendable {
  /// What is to be kept and handed out.
  public let pieces: [[UInt8]]
  /// Its name and length.
  public let attachment: Attachment
  /// Opens it.
  public let seal: PieceSeal

  /// Seals an Ogg Opus file under a new key.
  ///
  /// - Throws: `audio` where it is empty or too long.
  public init(_ file: [UInt8]) throws(SayError) {
    do throws(CryptoError) {
      seal = try PieceSeal()
    } catch {
      throw .crypto("\(error)")
    }
    var pieces: [[UInt8]] = []
    let count = (file.count + Attachment.pieceBytes - 1) / Attachment.pieceBytes
    for number in 0..<count {
      let start = number * Attachment.pieceBytes
      let piece = Array(file[start..<min(start + Attachment.pieceBytes, file.count)])
      pieces.append(seal.seal(piece, number: number, isLast: number == count - 1))
    }
    self.pieces = pieces
    let name = AudioName(ofHashes: pieces.map { AudioName.hash(of: $0) })
    let total = pieces.reduce(0) { $0 + $1.count }
    guard let attachment = Attachment(name: name, byteCount: total) else {
      throw .audio(byteCount: file.count)
    }
    self.attachment = attachment
  }
}

extension SealedAudio {
  /// What is said of it.
  func clip(milliseconds: Int, peaks: [UInt8]) throws(SayError) -> VoiceClip {
    guard
      let clip = VoiceClip(
        attachment: attachment, seal: seal, milliseconds: milliseconds, peaks: peaks)
    else { throw .length(milliseconds: milliseconds) }
    return clip
  }
}
