/// Cuts the octets of a pairing connection into frames behind lengths of four octets, big-endian.
struct PairingFrames {
  private static let prefixBytes = 4

  /// Most octets of a frame.
  let maximumBytes: Int
  private var held: [UInt8] = []

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// A frame behind its length.
  static func frame(_ octets: [UInt8]) -> [UInt8] {
    let count = UInt32(truncatingIfNeeded: octets.count)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + octets
  }

  /// Takes what came, and gives the frames that are whole.
  mutating func receive(_ octets: some Sequence<UInt8>) throws(ControlPlaneError) -> [[UInt8]] {
    held += octets
    var frames: [[UInt8]] = []
    var taken = 0
    defer { held.removeFirst(taken) }
    while held.count - taken >= Self.prefixBytes {
      let start = taken + Self.prefixBytes
      let count = held[taken..<start].reduce(0) { $0 << 8 | Int($1) }
      guard (1...maximumBytes).contains(count) else {
        throw .frame(byteCount: count, maximum: maximumBytes)
      }
      guard held.count - start >= count else { break }
      frames.append(Array(held[start..<start + count]))
      taken = start + count
    }
    return frames
  }
}
