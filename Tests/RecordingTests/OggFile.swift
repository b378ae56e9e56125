/// An Ogg file taken apart by RFC 3533 §6, each page's checksum checked.
struct OggFile {
  struct Packet {
    var bytes: [UInt8]
    /// Of its page.
    var granule: Int
  }

  var packets: [Packet] = []
  var serials: Set<Int> = []
  var isEnded = false
  var pageGranules: [Int] = []

  /// Reads whole pages up to the end, or to where the file breaks off; nil: a page is wrong.
  init?(_ bytes: [UInt8]) {
    var offset = 0
    while offset + 27 <= bytes.count {
      guard bytes.text(at: offset, 4) == "OggS" else { return nil }
      let segments = Int(bytes[offset + 26])
      guard offset + 27 + segments <= bytes.count else { return }
      let lacing = bytes[offset + 27..<offset + 27 + segments].map(Int.init)
      let end = offset + 27 + segments + lacing.reduce(0, +)
      guard end <= bytes.count else { return }
      guard take(Array(bytes[offset..<end]), lacing) else { return nil }
      offset = end
    }
  }

  private mutating func take(_ page: [UInt8], _ lacing: [Int]) -> Bool {
    var unchecked = page
    for index in 22..<26 { unchecked[index] = 0 }
    guard Self.checksum(unchecked) == UInt32(page.number(at: 22, 4)) else { return false }
    serials.insert(page.number(at: 14, 4))
    isEnded = page[5] & 4 != 0
    pageGranules.append(page.number(at: 6, 8))
    var (place, packet) = (27 + lacing.count, [UInt8]())
    for length in lacing {
      packet += page[place..<place + length]
      place += length
      guard length < 255 else { continue }
      packets.append(Packet(bytes: packet, granule: page.number(at: 6, 8)))
      packet = []
    }
    return packet.isEmpty
  }

  /// Gives each page that is whole its right checksum.
  static func mend(_ bytes: inout [UInt8]) {
    var offset = 0
    while offset + 27 <= bytes.count {
      let segments = Int(bytes[offset + 26])
      let table = offset + 27..<min(bytes.count, offset + 27 + segments)
      let end = bytes[table].reduce(table.upperBound) { $0 + Int($1) }
      guard bytes.text(at: offset, 4) == "OggS", end <= bytes.count else {
        offset += 1
        continue
      }
      for index in 22..<26 { bytes[offset + index] = 0 }
      let checksum = checksum(Array(bytes[offset..<end]))
      for index in 0..<4 {
        bytes[offset + 22 + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index))
      }
      offset = end
    }
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    bytes.reduce(0) { checksum, byte in
      var checksum = checksum ^ UInt32(byte) << 24
      for _ in 0..<8 {
        checksum = checksum & 0x8000_0000 == 0 ? checksum << 1 : checksum << 1 ^ 0x04C1_1DB7
      }
      return checksum
    }
  }
}
