/// Packets of one logical stream of an Ogg file (RFC 3533), whatever the file holds.
///
/// What is damaged, of another stream, or left over is passed over; nothing here takes more than the file's length in
/// memory, or more than one look at each octet.
struct OggReader {
  private static let capture = Array("OggS".utf8)
  private static let headerBytes = 27
  /// Of a packet over several pages.
  private static let mostPacketBytes = 64 * 1024

  /// Ten minutes of the shortest packets (2.5 ms), and some.
  private static let mostPackets = 250_000
  /// Pages with a wrong checksum that are looked at: each costs its length.
  private static let mostDamages = 1000

  private let file: [UInt8]
  private var damages = 0
  /// Behind the last page that was read.
  private(set) var offset = 0
  private(set) var serial: UInt32?
  private var pending: [UInt8] = []
  private var isContinuing = false
  private var ready: [[UInt8]] = []
  /// The position at the end of the last page that had one.
  private(set) var lastGranule: Int64 = 0

  init(_ file: [UInt8]) { self.file = file }

  /// All packets, in order; those of the pages with the first ones, where no more are wanted.
  mutating func packets(atMost most: Int = Self.mostPackets) -> [[UInt8]] {
    while ready.count < most, let page = nextPage() { take(page) }
    return ready
  }

  private struct Page {
    let flags: UInt8
    let granule: Int64
    let serial: UInt32
    /// Lengths of segments.
    let segments: ArraySlice<UInt8>
    let body: Int
  }

  /// The next page whose checksum is right.
  private mutating func nextPage() -> Page? {
    while offset + Self.headerBytes <= file.count {
      guard file[offset] == Self.capture[0], file[offset..<offset + 4].elementsEqual(Self.capture),
        file[offset + 4] == 0
      else {
        offset += 1
        continue
      }
      let segmentCount = Int(file[offset + 26])
      let table = offset + Self.headerBytes
      guard table + segmentCount <= file.count else { return nil }
      let segments = file[table..<table + segmentCount]
      let body = table + segmentCount
      let end = segments.reduce(body) { $0 + Int($1) }
      guard end <= file.count, checksum(offset..<end) == number(offset + 22, 4) else {
        damages += 1
        guard damages <= Self.mostDamages else { return nil }
        offset += 1
        continue
      }
      let page = Page(
        flags: file[offset + 5], granule: Int64(bitPattern: number(offset + 6, 8)),
        serial: UInt32(truncatingIfNeeded: number(offset + 14, 4)), segments: segments, body: body)
      offset = end
      return page
    }
    return nil
  }

  private mutating func take(_ page: Page) {
    if serial == nil { serial = page.serial }
    guard page.serial == serial else { return }
    if page.granule >= 0 { lastGranule = page.granule }
    if page.flags & 1 == 0 || !isContinuing {
      pending = []
      isContinuing = page.flags & 1 == 0
    }
    var place = page.body
    for segment in page.segments {
      let end = place + Int(segment)
      if isContinuing, pending.count + Int(segment) <= Self.mostPacketBytes {
        pending += file[place..<end]
      }
      place = end
      guard segment < 255 else { continue }
      if isContinuing { ready.append(pending) }
      (pending, isContinuing) = ([], true)
    }
    isContinuing = isContinuing && page.segments.last == 255
    if !isContinuing { pending = [] }
  }

  private func number(_ start: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 | UInt64(file[start + $1]) << UInt64(8 * $1) }
  }

  /// CRC-32 with the polynomial 0x04C11DB7, its own field as zero (RFC 3533 §6).
  private func checksum(_ range: Range<Int>) -> UInt64 {
    var sum: UInt32 = 0
    let field = range.lowerBound + 22..<range.lowerBound + 26
    for index in range {
      let octet = field.contains(index) ? 0 : file[index]
      sum = sum << 8 ^ Self.table[Int(UInt8(truncatingIfNeeded: sum >> 24) ^ octet)]
    }
    return UInt64(sum)
  }

  private static let table: [UInt32] = (0..<256).map { index in
    var sum = UInt32(index) << 24
    for _ in 0..<8 { sum = sum & 1 << 31 != 0 ? sum << 1 ^ 0x04C1_1DB7 : sum << 1 }
    return sum
  }
}
