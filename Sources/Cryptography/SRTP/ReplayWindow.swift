/// The replay window (RFC 3711 §3.3.2): the highest number received, and a bit for each of the 128 up to it.
///
/// Wait-free; allocates nothing. Only numbers that were authentic may be let in.
struct ReplayWindow: Sendable {
  /// The window's verdict on a number.
  enum Verdict: Sendable {
    case new, replayed, tooOld
  }

  /// Numbers that are remembered; RFC 3711 §3.3.2 asks for 64 at least.
  static let size: UInt64 = 128

  /// The highest number that was let in; nil: none.
  private(set) var highest: UInt64?
  /// Bit n: whether `highest` - n came.
  private var came: UInt128 = 0

  /// What is known of a number.
  func verdict(on index: UInt64) -> Verdict {
    guard let highest, index <= highest else { return .new }
    let age = highest - index
    guard age < Self.size else { return .tooOld }
    return came >> UInt128(age) & 1 == 1 ? .replayed : .new
  }

  /// Lets a number in whose verdict was `new`.
  mutating func accept(_ index: UInt64) {
    guard let highest, index <= highest else {
      let step = index - (highest ?? index)
      came = step < Self.size ? came << UInt128(step) | 1 : 1
      highest = index
      return
    }
    came |= 1 << UInt128(highest - index)
  }
}

/// The number of an RTP packet in its stream: 32 bits of roll-over counter,
/// then the 16 of the sequence number (RFC 3711 §3.3.1).
enum PacketIndex {
  /// One beyond the greatest.
  static let limit: UInt64 = 1 << 48

  /// The index that its lowest bits most likely mean (RFC 3711 appendix A): 16 of them, the sequence number, or 32,
  /// with half of the roll-over counter in front.
  ///
  /// - Parameter highest: the highest index known; nil: the stream is just beginning, and all higher bits are 0.
  /// - Returns: nil for one below 0 or beyond the greatest.
  static func estimate<Low: FixedWidthInteger & UnsignedInteger>(
    _ low: Low, highest: UInt64?
  ) -> UInt64? {
    guard let highest else { return UInt64(low) }
    let turn = UInt64(Low.max) + 1
    // Half way round both directions are as near: the RFC's formula takes the one within the same turn.
    let sameTurn = highest / turn * turn + UInt64(low)
    if sameTurn > highest, sameTurn - highest > turn / 2 {
      return sameTurn < turn ? nil : sameTurn - turn
    }
    if highest > sameTurn, highest - sameTurn > turn / 2 {
      return sameTurn + turn < limit ? sameTurn + turn : nil
    }
    return sameTurn
  }
}
