internal import Cryptography

/// What nodes say to each other of hosted sessions on the lane's channel of captions, beside ``CaptionFrame``.
enum HostedFrame: Hashable {
  /// Kind 5: what is known of a part.
  case notice(SessionNotice)
  /// Kind 6: the part (32 and 8) that the sender wants all chunks of, but for final ones of these ranges: their count
  /// (1), first (4) and count (4) each.
  case want(CaptionSessionKey, holding: [Range<UInt32>])
  /// Kind 7: the part (32 and 8), and chunks of it, as ``CaptionPacker`` writes them, each with its captioner's
  /// signature (64).
  case chunks(CaptionSessionKey, [SignedChunk])
  /// Kind 8: who the sender is to hosted sessions.
  case roll(SessionRoll)

  /// Whether a frame is one of these.
  static func isKind(of octets: [UInt8]) -> Bool { octets.first.map { (5...8) ~= $0 } ?? false }

  init(parsing octets: [UInt8]) throws(CaptionFault) {
    guard octets.count <= CaptionLimits.frameBytes else { throw .oversized }
    var reader = CaptionReader(octets)
    switch try reader.number(1) {
    case 5: self = .notice(try SessionNotice(&reader))
    case 6:
      let part = try reader.session()
      self = .want(part, holding: try reader.ranges())
    case 7:
      let part = try reader.session()
      var (chunks, unpacker) = ([SignedChunk](), CaptionUnpacker())
      while !reader.isAtEnd { chunks.append(try SignedChunk(&reader, &unpacker)) }
      guard !chunks.isEmpty else { throw .malformed }
      self = .chunks(part, chunks)
    case 8: self = .roll(try SessionRoll(&reader))
    default: throw .malformed
    }
    try reader.end()
  }

  var octets: [UInt8] {
    var writer = CaptionWriter()
    switch self {
    case .notice(let notice):
      writer.bytes([5])
      notice.write(to: &writer)
    case .want(let part, let ranges):
      writer.bytes([6])
      writer.session(part)
      writer.ranges(ranges)
    case .chunks(let part, let chunks):
      var packer = CaptionPacker(after: Self.head(ofChunksOf: part), mostBytes: .max)
      for chunk in chunks { _ = packer.add(chunk.chunk, signature: chunk.signature) }
      return packer.octets
    case .roll(let roll):
      writer.bytes([8])
      roll.write(to: &writer)
    }
    return writer.octets
  }

  /// What is before the chunks of a part in their frame.
  static func head(ofChunksOf part: CaptionSessionKey) -> [UInt8] {
    var writer = CaptionWriter()
    writer.bytes([7])
    writer.session(part)
    return writer.octets
  }
}

/// What a member knows of a part of a session: the bill, flags (1) whether the receiver gets what changes and whether
/// the sender hosts it just now, the host's battery in percent (1; 255: it has none, or somebody else says it), how
/// long ago the session began, milliseconds (4), how many chunks there are for the receiver (4), and a digest of them
/// (8).
struct SessionNotice: Hashable {
  static let noBattery: UInt8 = 255

  let bill: SessionBill
  let isFollowed: Bool
  let isHosting: Bool
  let batteryPercent: UInt8?
  let elapsedMilliseconds: UInt32
  let count: UInt32
  let digest: UInt64

  init(
    bill: SessionBill, isFollowed: Bool, isHosting: Bool, batteryPercent: UInt8?,
    elapsedMilliseconds: UInt32, count: UInt32, digest: UInt64
  ) {
    (self.bill, self.isFollowed, self.isHosting) = (bill, isFollowed, isHosting)
    self.batteryPercent = batteryPercent
    (self.elapsedMilliseconds, self.count, self.digest) = (elapsedMilliseconds, count, digest)
  }

  init(_ reader: inout CaptionReader) throws(CaptionFault) {
    bill = try SessionBill(&reader)
    let flags = try reader.number(1)
    let battery = UInt8(try reader.number(1))
    guard flags <= 3, battery <= 100 || battery == Self.noBattery else { throw .malformed }
    (isFollowed, isHosting) = (flags & 1 != 0, flags & 2 != 0)
    batteryPercent = battery == Self.noBattery ? nil : battery
    elapsedMilliseconds = UInt32(try reader.number(4))
    count = UInt32(try reader.number(4))
    guard count <= CaptionLimits.chunks else { throw .malformed }
    digest = try reader.number(8)
  }

  func write(to writer: inout CaptionWriter) {
    bill.write(to: &writer)
    writer.bytes([
      (isFollowed ? 1 : 0) | (isHosting ? 2 : 0), batteryPercent ?? Self.noBattery,
    ])
    writer.number(UInt64(elapsedMilliseconds), byteCount: 4)
    writer.number(UInt64(count), byteCount: 4)
    writer.number(digest, byteCount: 8)
  }
}

/// A chunk as its captioner signed it, so that whoever has it can pass it on.
struct SignedChunk: Hashable {
  private static let label = Array("comlink caption 1".utf8) + [0]

  let chunk: CaptionChunk
  let signature: [UInt8]

  /// Signs a chunk of a part; nil: this node cannot sign.
  init?(_ chunk: CaptionChunk, of part: CaptionSessionKey, by signer: CaptionSigner) {
    guard let signature = signer.sign(Self.signed(chunk, of: part)) else { return nil }
    (self.chunk, self.signature) = (chunk, signature)
  }

  init(chunk: CaptionChunk, signature: [UInt8]) {
    (self.chunk, self.signature) = (chunk, signature)
  }

  init(
    _ reader: inout CaptionReader, _ unpacker: inout CaptionUnpacker
  ) throws(CaptionFault) {
    chunk = try unpacker.chunk(&reader)
    signature = Array(try reader.bytes(PublicKey.signatureByteCount))
  }

  /// Whether the host of that part said so.
  func isSaid(in bill: SessionBill) -> Bool {
    let signed = Self.signed(chunk, of: bill.part)
    return unsafe bill.hostKey.verifies(signature, of: signed.span.bytes)
  }

  private static func signed(_ chunk: CaptionChunk, of part: CaptionSessionKey) -> [UInt8] {
    var writer = CaptionWriter()
    writer.session(part)
    return label + writer.octets + chunk.octets
  }
}

/// What a node is to hosted sessions: the number of its run (8), flags (1) whether it captions for who reads, the count
/// (1) of sessions that its user joined, and for each of them the session (32 and 8) and up to where it was read (4),
/// milliseconds since it began.
struct SessionRoll: Hashable {
  struct Seat: Hashable {
    let session: CaptionSessionKey
    let readMilliseconds: UInt32
  }

  var run: UInt64
  var offersCaptions = false
  var seats: [Seat] = []

  init(run: UInt64) { self.run = run }

  init(_ reader: inout CaptionReader) throws(CaptionFault) {
    run = try reader.number(8)
    let flags = try reader.number(1)
    guard flags <= 1 else { throw .malformed }
    offersCaptions = flags == 1
    let count = Int(try reader.number(1))
    guard count <= CaptionLimits.seats else { throw .oversized }
    for _ in 0..<count {
      let session = try reader.session()
      seats.append(Seat(session: session, readMilliseconds: UInt32(try reader.number(4))))
    }
  }

  func write(to writer: inout CaptionWriter) {
    writer.number(run, byteCount: 8)
    writer.bytes([offersCaptions ? 1 : 0, UInt8(seats.count)])
    for seat in seats {
      writer.session(seat.session)
      writer.number(UInt64(seat.readMilliseconds), byteCount: 4)
    }
  }
}

extension CaptionWriter {
  mutating func session(_ key: CaptionSessionKey) {
    bytes(key.captioner.octets)
    number(key.number, byteCount: 8)
  }

  mutating func ranges(_ ranges: [Range<UInt32>]) {
    number(UInt64(ranges.count), byteCount: 1)
    for range in ranges {
      number(UInt64(range.lowerBound), byteCount: 4)
      number(UInt64(range.count), byteCount: 4)
    }
  }
}

extension CaptionReader {
  mutating func session() throws(CaptionFault) -> CaptionSessionKey {
    CaptionSessionKey(captioner: try node(), number: try number(8))
  }

  mutating func ranges() throws(CaptionFault) -> [Range<UInt32>] {
    let count = Int(try number(1))
    guard count <= CaptionLimits.ranges else { throw .oversized }
    var ranges: [Range<UInt32>] = []
    for _ in 0..<count {
      let (first, length) = (try number(4), try number(4))
      // In their order and apart, as `held` makes them: overlapping ones would cost work for nothing.
      guard first >= ranges.last?.upperBound ?? 0, length > 0,
        first + length <= CaptionLimits.chunks
      else { throw .malformed }
      ranges.append(UInt32(first)..<UInt32(first + length))
    }
    return ranges
  }
}
