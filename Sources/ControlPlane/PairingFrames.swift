/// Cuts the octets of a pairing connection into frames behind lengths of four octets, big-endian.
struct PairingFrames {
  private static let prefixBytes = 4

  /// Most octets of a frame.
  let maximumBytes: Int
  private var held: [UInt8] = []
  private var taken = 0

  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// A frame behind its length.
  static func frame(_ octets: [UInt8]) -> [UInt8] {
    let count = UInt32(truncatingIfNeeded: octets.count)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) } + octets
  }

  /// Octets of the frame to come, without its length; nil before that is there.
  private var nextBytes: Int? {
    guard held.count - taken >= Self.prefixBytes else { return nil }
    return held[taken..<taken + Self.prefixBytes].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Whether a frame is whole.
  var hasFrame: Bool {
    nextBytes.map { held.count - taken - Self.prefixBytes >= $0 } ?? false
  }

  /// Takes what came; throws as soon as it tells of a frame that is empty or too long.
  mutating func append(_ octets: some Sequence<UInt8>) throws(ControlPlaneError) {
    held.removeFirst(taken)
    taken = 0
    held += octets
    try check()
  }

  /// The next frame; nil when it is not whole yet.
  mutating func next() throws(ControlPlaneError) -> [UInt8]? {
    try check()
    guard hasFrame, let count = nextBytes else { return nil }
    let start = taken + Self.prefixBytes
    taken = start + count
    return Array(held[start..<taken])
  }

  private func check() throws(ControlPlaneError) {
    guard let count = nextBytes else { return }
    guard (1...maximumBytes).contains(count) else {
      throw .frame(byteCount: count, maximum: maximumBytes)
    }
  }
}
