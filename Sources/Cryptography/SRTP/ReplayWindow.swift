/// Which numbers came already (RFC 3711 §3.3.2): the highest, and a bit for each of the 128 up to it.
///
/// Wait-free; allocates nothing. Only numbers that were authentic may be let in.
struct ReplayWindow: Sendable {
  /// What the window knows of a number.
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
