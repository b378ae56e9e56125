import RTP

/// The last frames of a source, coded, for the packets of all its streams, copies (RFC 2198) and RTX (RFC 4588).
///
/// Slots by a count of coded frames, in memory allocated once: 64 frames of the shortest kind are 160 ms,
/// above the longest round trip for NACKs; of 10 ms frames 640 ms.
struct SentFrames {
  static let slotCount = 64
  /// A datagram of 1200 octets less the longest header, what a packet sent again says of itself,
  /// and what encryption adds.
  static let payloadCapacity =
    1200 - RTPHeader.maximumByteCount - RTXPayload.headerBytes
    - TalkerConfiguration.protectionBytes

  /// One coded frame, without its payloads.
  struct Entry {
    /// Which one of all that were coded.
    var number = -1
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

  /// The coded frame of a number, if it is remembered.
  subscript(number: Int) -> Entry? {
    let entry = entries[Self.slot(number)]
    return entry.number == number ? entry : nil
  }

  /// Lets `code` write the payload of a frame; forgets the one that had its place.
  mutating func code(
    _ number: Int, _ coding: RepairRecipe.Coding, _ code: (inout MutableRawSpan) -> Int
  ) -> Int {
    entries[Self.slot(number)].number = -1
    let place = Self.place(number)
    if coding == .full { return Self.write(into: &full, place, code) }
    return Self.write(into: &lean, place, code)
  }

  /// Remembers a frame whose payloads were written.
  mutating func add(_ entry: Entry) { entries[Self.slot(entry.number)] = entry }

  /// Copies a payload to `offset` of `packet`, where there must be room; returns its bytes.
  func write(
    _ entry: Entry, _ coding: RepairRecipe.Coding, at offset: Int,
    into packet: inout MutableRawSpan
  ) -> Int {
    let bytes = entry.payloadBytes(coding)
    let place = Self.place(entry.number)
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

  private static func slot(_ number: Int) -> Int { number & (slotCount - 1) }

  private static func place(_ number: Int) -> Range<Int> {
    let start = slot(number) * payloadCapacity
    return start..<(start + payloadCapacity)
  }
}
