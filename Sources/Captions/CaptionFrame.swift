/// What nodes say to each other on the lane's channel of captions: one octet of kind, then the rest.
enum CaptionFrame: Hashable {
  /// Kind 1: version (1), flags (1) whether its user refuses to be captioned, and the number of its run (8).
  case hello(refuses: Bool, run: UInt64)
  /// Kind 2: a session of the sender's.
  case offer(CaptionOffer)
  /// Kind 3: the session's number (8) of the receiver's that the sender wants all chunks of, but for final ones of
  /// these ranges: first (4) and count (4) each.
  case want(UInt64, holding: [Range<UInt32>])
  /// Kind 4: the session's number (8) of the sender's, and chunks of it, as ``CaptionPacker`` writes them.
  case chunks(UInt64, [CaptionChunk])

  static let version: UInt64 = 1

  init(parsing octets: [UInt8]) throws(CaptionFault) {
    guard octets.count <= CaptionLimits.frameBytes else { throw .oversized }
    var reader = CaptionReader(octets)
    switch try reader.number(1) {
    case 1:
      guard try reader.number(1) == Self.version else { throw .malformed }
      let flags = try reader.number(1)
      guard flags <= 1 else { throw .malformed }
      self = .hello(refuses: flags == 1, run: try reader.number(8))
    case 2: self = .offer(try CaptionOffer(&reader))
    case 3:
      let number = try reader.number(8)
      self = .want(number, holding: try reader.ranges())
    case 4:
      let number = try reader.number(8)
      var (chunks, unpacker) = ([CaptionChunk](), CaptionUnpacker())
      while !reader.isAtEnd { chunks.append(try unpacker.chunk(&reader)) }
      guard !chunks.isEmpty else { throw .malformed }
      self = .chunks(number, chunks)
    default: throw .malformed
    }
    try reader.end()
  }

  var octets: [UInt8] {
    var writer = CaptionWriter()
    switch self {
    case .hello(let refuses, let run):
      writer.bytes([1, UInt8(Self.version), refuses ? 1 : 0])
      writer.number(run, byteCount: 8)
    case .offer(let offer):
      writer.bytes([2])
      offer.write(to: &writer)
    case .want(let number, let ranges):
      writer.bytes([3])
      writer.number(number, byteCount: 8)
      writer.ranges(ranges)
    case .chunks(let number, let chunks):
      var packer = CaptionPacker(after: Self.head(ofChunksOf: number), mostBytes: .max)
      for chunk in chunks { _ = packer.add(chunk) }
      return packer.octets
    }
    return writer.octets
  }

  /// What is before the chunks of a session in their frame.
  static func head(ofChunksOf number: UInt64) -> [UInt8] {
    var writer = CaptionWriter()
    writer.bytes([4])
    writer.number(number, byteCount: 8)
    return writer.octets
  }
}

/// What a captioner tells a reader of a session: number (8), flags (1) whether it goes on and whether the reader gets
/// what changes, how long ago it began, milliseconds (4), how many chunks there are for this reader (4), how many of
/// them are final (4), and what is captioned, as text (1 and that).
struct CaptionOffer: Hashable {
  let number: UInt64
  let isLive: Bool
  let isFollowed: Bool
  let elapsedMilliseconds: UInt32
  let count: UInt32
  let finals: UInt32
  let scope: String

  init(
    number: UInt64, isLive: Bool, isFollowed: Bool, elapsedMilliseconds: UInt32, count: UInt32,
    finals: UInt32, scope: String
  ) {
    (self.number, self.isLive, self.isFollowed) = (number, isLive, isFollowed)
    (self.elapsedMilliseconds, self.count, self.finals) = (elapsedMilliseconds, count, finals)
    self.scope = scope
  }

  init(_ reader: inout CaptionReader) throws(CaptionFault) {
    number = try reader.number(8)
    let state = try reader.number(1)
    guard state <= 3 else { throw .malformed }
    (isLive, isFollowed) = (state & 1 != 0, state & 2 != 0)
    elapsedMilliseconds = UInt32(try reader.number(4))
    (count, finals) = (UInt32(try reader.number(4)), UInt32(try reader.number(4)))
    guard finals <= count, count <= CaptionLimits.chunks else { throw .malformed }
    scope = try reader.text(lengthBytes: 1, most: CaptionLimits.nameBytes)
  }

  func write(to writer: inout CaptionWriter) {
    writer.number(number, byteCount: 8)
    writer.number((isLive ? 1 : 0) | (isFollowed ? 2 : 0), byteCount: 1)
    writer.number(UInt64(elapsedMilliseconds), byteCount: 4)
    writer.number(UInt64(count), byteCount: 4)
    writer.number(UInt64(finals), byteCount: 4)
    writer.text(scope, lengthBytes: 1)
  }
}
