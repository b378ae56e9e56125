import RTP

/// The last frames sent, coded, for copies (RFC 2198) and RTX (RFC 4588).
///
/// Slots by sequence number, in memory allocated once: 64 packets of the shortest kind are 160 ms,
/// above the longest round trip for NACKs; of 10 ms packets 640 ms.
struct SentFrames {
  static let slotCount = 64
  /// A datagram of 1200 octets less the longest header, what a packet sent again says of itself,
  /// and what encryption adds.
  static let payloadCapacity =
    1200 - RTPHeader.maximumByteCount - RTXPayload.headerBytes
    - TalkerConfiguration.protectionBytes

  /// One frame that was sent, without its payloads.
  struct Entry {
    var isUsed = false
    var sequenceNumber = SequenceNumber(rawValue: 0)
    var timestamp = RTPTimestamp(rawValue: 0)
    var frames = 0
    var marker = false
    var level = AudioLevel(levelDBov: -127, hasVoiceActivity: false)
    var fullBytes = 0
    var leanBytes = 0

    /// Bytes of a coding; 0 when there is none.
    func payloadBytes(_ coding: RepairRecipe.Coding) -> Int {
      coding == .full ? fullBytes : leanBytes
    }
  }

  private var entries = [Entry](repeating: Entry(), count: slotCount)
  private var full = [UInt8](repeating: 0, count: slotCount * payloadCapacity)
  private var lean = [UInt8](repeating: 0, count: slotCount * payloadCapacity)

  /// What was sent under a sequence number, if it is remembered.
  subscript(sequenceNumber: SequenceNumber) -> Entry? {
    let entry = entries[Self.slot(sequenceNumber)]
    return entry.isUsed && entry.sequenceNumber == sequenceNumber ? entry : nil
  }

  /// Lets `code` write the payload that is to be sent under a sequence number; forgets the number that
  /// had its place.
  mutating func code(
    _ sequenceNumber: SequenceNumber, _ coding: RepairRecipe.Coding,
    _ code: (inout MutableRawSpan) -> Int
  ) -> Int {
    entries[Self.slot(sequenceNumber)].isUsed = false
    let place = Self.place(sequenceNumber)
    if coding == .full { return Self.write(into: &full, place, code) }
    return Self.write(into: &lean, place, code)
  }

  /// Remembers a frame whose payloads were written.
  mutating func add(_ entry: Entry) { entries[Self.slot(entry.sequenceNumber)] = entry }

  /// The frame `distance` packets before `entry`, if it is remembered in that coding, ended where the
  /// frames between begin, and can be told in a block header.
  func copy(
    _ distance: Int, before entry: Entry, _ coding: RepairRecipe.Coding
  ) -> Entry? {
    let offset = distance * entry.frames
    guard distance > 0, offset <= RedundantPayload.greatestTimestampOffset,
      let copied = self[entry.sequenceNumber.advanced(by: -distance)],
      copied.frames == entry.frames, copied.timestamp.distance(to: entry.timestamp) == offset,
      (1...RedundantPayload.greatestCopyBytes).contains(copied.payloadBytes(coding))
    else { return nil }
    return copied
  }

  /// Copies a payload to `offset` of `packet`, where there must be room; returns its bytes.
  func write(
    _ entry: Entry, _ coding: RepairRecipe.Coding, at offset: Int,
    into packet: inout MutableRawSpan
  ) -> Int {
    let bytes = entry.payloadBytes(coding)
    let place = Self.place(entry.sequenceNumber)
    let source = place.lowerBound..<(place.lowerBound + bytes)
    if coding == .full {
      Self.copy(full.span.extracting(source), to: offset, of: &packet)
    } else {
      Self.copy(lean.span.extracting(source), to: offset, of: &packet)
    }
    return bytes
  }

  private static func copy(
    _ source: Span<UInt8>, to offset: Int, of packet: inout MutableRawSpan
  ) {
    var place = packet._mutatingExtracting(offset..<(offset + source.count))
    unsafe place.withUnsafeMutableBytes { target in
      unsafe source.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
    }
  }

  private static func write(
    into octets: inout [UInt8], _ place: Range<Int>, _ code: (inout MutableRawSpan) -> Int
  ) -> Int {
    var span = octets.mutableSpan
    var bytes = unsafe span.mutableBytes
    var payload = bytes._mutatingExtracting(place)
    return code(&payload)
  }

  private static func slot(_ sequenceNumber: SequenceNumber) -> Int {
    Int(sequenceNumber.rawValue) & (slotCount - 1)
  }

  private static func place(_ sequenceNumber: SequenceNumber) -> Range<Int> {
    let start = slot(sequenceNumber) * payloadCapacity
    return start..<(start + payloadCapacity)
  }
}
