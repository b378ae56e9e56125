/// The usual duration of each kind of loop work, for planning.
///
/// Loop thread only.
final class WorkPace {
  /// A kind of frequent work.
  enum Piece: Int {
    /// Takes a datagram: authentic or not, whose, where it belongs.
    case receiving
    /// Encodes, protects and queues a frame.
    case sending
    /// Decodes and splices a frame, for a ring.
    case rendering
  }

  /// Cold caches and concealment make a piece two or three times as long (TRIALS: p99 of codecs).
  ///
  /// In longer ones the thread did not run all the time: for what is usual they count for so much.
  private static let mostFactor: Int64 = 4
  /// Pieces over which the usual time is averaged.
  private static let memory: Int64 = 32

  private let clock: () -> Int64
  private var usual = InlineArray<3, Int64>(repeating: 0)
  private var markNanoseconds: Int64?
  /// What the pieces since the last rest took, without what they were held up.
  private(set) var spentNanoseconds: Int64 = 0

  /// - Parameter clock: the time now.
  init(clock: @escaping () -> Int64) { self.clock = clock }

  /// Usual duration of such a piece; 0 before the first.
  func usualNanoseconds(_ piece: Piece) -> Int64 { usual[piece.rawValue] }

  /// Marks the start of a piece, now or as told.
  func mark(_ nowNanoseconds: Int64? = nil) { markNanoseconds = nowNanoseconds ?? clock() }

  /// Marks the start of a piece where it is not known yet.
  func markIfResting() { if markNanoseconds == nil { mark() } }

  /// Stops measuring until the next mark.
  func rest() { (markNanoseconds, spentNanoseconds) = (nil, 0) }

  /// Marks the end of a piece that began at the last mark or piece's end.
  func finish(_ piece: Piece) {
    let now = clock()
    defer { markNanoseconds = now }
    guard let began = markNanoseconds else { return }
    let (took, known) = (max(now - began, 0), usual[piece.rawValue])
    guard known > 0 else {
      usual[piece.rawValue] = took
      return
    }
    spentNanoseconds += took > Self.mostFactor * known ? known : took
    let counted = min(took, Self.mostFactor * known)
    usual[piece.rawValue] = max(1, known + (counted - known) / Self.memory)
  }
}
