internal import Cryptography

/// Chunks of captions as they stand in a frame, one after the other: whoever comes late to hours of talk gets them in a
/// second, so nothing is said twice.
///
/// A chunk: flags (1), its index as the distance from the one after the former, revision, voice, beginning as the
/// distance from the former's, duration, all as numbers of seven bits an octet, the lowest first, the distances with
/// their sign in the lowest bit; confidence (1) if a flag says so, the text after its length (a number), and in hosted
/// sessions its host's signature (64). A voice is the number of one before it in the frame, or the next number, and
/// then follows: its node (32), colour (3) if a flag says so, and name, role and language after their lengths (1).
struct CaptionPacker {
  fileprivate enum Flag {
    static let final: UInt64 = 1
    static let marker: UInt64 = 2
    static let confidence: UInt64 = 4
    static let colour: UInt64 = 8
    static let known = final | marker | confidence | colour
  }

  /// Who says something, in which language.
  fileprivate struct Voice {
    let talker: CaptionTalker
    let language: String
  }

  private(set) var octets: [UInt8]
  private let mostBytes: Int
  /// By their octets: two texts that Swift takes for one may be signed as two.
  private var voices: [[UInt8]: Int] = [:]
  private var (nextIndex, start): (Int64, Int64) = (0, 0)

  /// - Parameters:
  ///   - head: the frame up to its chunks.
  ///   - mostBytes: of the frame.
  init(after head: [UInt8], mostBytes: Int = CaptionLimits.frameBytes) {
    (octets, self.mostBytes) = (head, mostBytes)
  }

  /// Adds a chunk; false: there is no room for it.
  mutating func add(_ chunk: CaptionChunk, signature: [UInt8] = []) -> Bool {
    let voice = Self.octets(of: chunk)
    let number = voices[voice] ?? voices.count
    var writer = CaptionWriter()
    writer.short(
      (chunk.isFinal ? Flag.final : 0) | (chunk.isMarker ? Flag.marker : 0)
        | (chunk.confidencePercent == nil ? 0 : Flag.confidence)
        | (chunk.talker.colourRGB == nil ? 0 : Flag.colour))
    writer.distance(Int64(chunk.index) - nextIndex)
    writer.short(UInt64(chunk.revision))
    writer.short(UInt64(number))
    if number == voices.count { writer.bytes(voice) }
    writer.distance(Int64(chunk.startMilliseconds) - start)
    writer.short(UInt64(chunk.durationMilliseconds))
    if let percent = chunk.confidencePercent { writer.bytes([percent]) }
    writer.short(UInt64(chunk.text.utf8.count))
    writer.bytes(chunk.text.utf8)
    writer.bytes(signature)
    guard octets.count + writer.octets.count <= mostBytes else { return false }
    octets += writer.octets
    voices[voice] = number
    (nextIndex, start) = (Int64(chunk.index) + 1, Int64(chunk.startMilliseconds))
    return true
  }

  private static func octets(of chunk: CaptionChunk) -> [UInt8] {
    var writer = CaptionWriter()
    writer.bytes(chunk.talker.node.octets)
    if let colour = chunk.talker.colourRGB { writer.number(UInt64(colour), byteCount: 3) }
    writer.text(chunk.talker.name, lengthBytes: 1)
    writer.text(chunk.talker.role, lengthBytes: 1)
    writer.text(chunk.language, lengthBytes: 1)
    return writer.octets
  }
}

/// Reads what ``CaptionPacker`` writes.
struct CaptionUnpacker {
  private var voices: [CaptionPacker.Voice] = []
  private var (nextIndex, start): (Int64, Int64) = (0, 0)

  mutating func chunk(_ reader: inout CaptionReader) throws(CaptionFault) -> CaptionChunk {
    let flags = try reader.short()
    guard flags & ~CaptionPacker.Flag.known == 0 else { throw .malformed }
    let index = try place(from: nextIndex, &reader)
    guard index < CaptionLimits.chunks else { throw .malformed }
    let revision = try number(&reader)
    let voice = try voice(&reader, hasColour: flags & CaptionPacker.Flag.colour != 0)
    let start = try place(from: start, &reader)
    let duration = try number(&reader)
    var confidence: UInt8?
    if flags & CaptionPacker.Flag.confidence != 0 {
      let percent = UInt8(try reader.number(1))
      guard percent <= 100 else { throw .malformed }
      confidence = percent
    }
    let count = try reader.short()
    guard count <= CaptionLimits.textBytes else { throw .oversized }
    let text = try reader.text(Int(count))
    (nextIndex, self.start) = (Int64(index) + 1, Int64(start))
    var chunk = CaptionChunk(
      index: index, revision: revision, talker: voice.talker, startMilliseconds: start,
      durationMilliseconds: duration, text: text,
      isFinal: flags & CaptionPacker.Flag.final != 0, language: voice.language,
      confidencePercent: confidence)
    chunk.isMarker = flags & CaptionPacker.Flag.marker != 0
    return chunk
  }

  private mutating func voice(
    _ reader: inout CaptionReader, hasColour: Bool
  ) throws(CaptionFault) -> CaptionPacker.Voice {
    let number = try reader.short()
    if number < UInt64(voices.count) {
      let voice = voices[Int(number)]
      guard (voice.talker.colourRGB != nil) == hasColour else { throw .malformed }
      return voice
    }
    guard number == UInt64(voices.count) else { throw .malformed }
    let node = try reader.node()
    let colour = hasColour ? UInt32(try reader.number(3)) : nil
    let name = try reader.text(lengthBytes: 1, most: CaptionLimits.nameBytes)
    let role = try reader.text(lengthBytes: 1, most: CaptionLimits.nameBytes)
    let language = try reader.text(lengthBytes: 1, most: CaptionLimits.languageBytes)
    let voice = CaptionPacker.Voice(
      talker: CaptionTalker(node: node, name: name, role: role, colourRGB: colour),
      language: language)
    voices.append(voice)
    return voice
  }

  private func place(from base: Int64, _ reader: inout CaptionReader) throws(CaptionFault) -> UInt32
  {
    let (place, isOver) = base.addingReportingOverflow(try reader.distance())
    guard !isOver, let number = UInt32(exactly: place) else { throw .malformed }
    return number
  }

  private func number(_ reader: inout CaptionReader) throws(CaptionFault) -> UInt32 {
    guard let number = UInt32(exactly: try reader.short()) else { throw .malformed }
    return number
  }
}

extension CaptionWriter {
  /// A number of seven bits an octet, the lowest first.
  fileprivate mutating func short(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes([UInt8(truncatingIfNeeded: rest) | 0x80])
      rest >>= 7
    }
    bytes([UInt8(truncatingIfNeeded: rest)])
  }

  /// The same, with the sign in the lowest bit.
  fileprivate mutating func distance(_ value: Int64) {
    short(UInt64(bitPattern: value << 1 ^ value >> 63))
  }
}

extension CaptionReader {
  /// One number in its shortest form, so that a chunk stands in one way only.
  fileprivate mutating func short() throws(CaptionFault) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 42, by: 7) {
      let octet = try number(1)
      value |= (octet & 0x7F) << shift
      guard octet & 0x80 == 0 else { continue }
      guard octet > 0 || shift == 0 else { throw .malformed }
      return value
    }
    throw .malformed
  }

  fileprivate mutating func distance() throws(CaptionFault) -> Int64 {
    let value = try short()
    return Int64(value >> 1) ^ -Int64(value & 1)
  }
}
