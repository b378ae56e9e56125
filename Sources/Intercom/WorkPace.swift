/// How long the pieces of the loop's work take: so that work can be told from being held up, and be planned.
///
/// A piece that takes several times what such pieces take is taken for one in which the thread did not run: it was
/// preempted, or the whole machine was. Asking the kernel would be exact, and a system call a wake-up.
///
/// Loop thread only.
struct WorkPace {
  /// What the loop does many times a second.
  enum Piece: Int {
    /// Takes a datagram: authentic or not, whose, where it belongs.
    case receiving
    /// Encodes, protects and queues a frame.
    case sending
    /// Decodes and splices a frame, for a ring.
    case rendering
  }

  /// Cold caches make a piece two or three times as long (TRIALS: p99 of codecs).
  private static let heldFactor: Int64 = 4
  private static let leastHeldNanoseconds: Int64 = 100_000
  /// Pieces over which the usual time is averaged.
  private static let memory: Int64 = 32

  private var usual = InlineArray<3, Int64>(repeating: 0)
  private var markNanoseconds: Int64?
  private var heldNanoseconds: Int64 = 0

  /// What such a piece takes as a rule; 0 before the first.
  func usualNanoseconds(_ piece: Piece) -> Int64 { usual[piece.rawValue] }

  /// A piece begins.
  mutating func mark(_ nowNanoseconds: Int64) { markNanoseconds = nowNanoseconds }

  /// Whether it is known when the next piece begins.
  var isMarked: Bool { markNanoseconds != nil }

  /// Nothing of what follows is measured until the next mark.
  mutating func rest() { markNanoseconds = nil }

  /// A piece that began at the last mark or piece's end is over.
  mutating func finish(_ piece: Piece, atNanoseconds now: Int64) {
    defer { markNanoseconds = now }
    guard let began = markNanoseconds else { return }
    let (took, known) = (max(now - began, 0), usual[piece.rawValue])
    guard known > 0 else {
      usual[piece.rawValue] = took
      return
    }
    let most = max(Self.heldFactor * known, known + Self.leastHeldNanoseconds)
    if took > most { heldNanoseconds += took - known }
    let counted = min(took, Self.heldFactor * known)
    usual[piece.rawValue] = max(1, known + (counted - known) / Self.memory)
  }

  /// For how long pieces since the last take were held up so far.
  var heldSoFarNanoseconds: Int64 { heldNanoseconds }

  /// The same, and begins anew.
  mutating func takeHeldNanoseconds() -> Int64 {
    defer { heldNanoseconds = 0 }
    return heldNanoseconds
  }
}
