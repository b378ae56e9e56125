import Synchronization

/// Breaks on their way from the media loop to the recorder's thread, in their order; bounded.
///
/// One writer and one reader, each wait-free: two indices that only grow, each stored by one side (release) and loaded
/// by the other (acquire), as in the audio rings.
///
/// Unchecked because the compiler cannot see it: a place is written before the index that shows it, and not again
/// before the reader's has passed it.
@safe final class TapeBreakQueue: @unchecked Sendable {
  /// More than a server comes back in while a disk may stand still.
  static let capacity = 64

  private let places: UnsafeMutablePointer<TapeBreak>
  private let written = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)

  init() {
    unsafe places = .allocate(capacity: Self.capacity)
    unsafe places.initialize(
      repeating: TapeBreak(end: 0, start: 0, nanoseconds: 0, sampleRate: 0), count: Self.capacity)
  }

  deinit {
    unsafe places.deallocate()
  }

  /// Adds one; false: there is no room. [loop]
  func append(_ tapeBreak: TapeBreak) -> Bool {
    let index = written.load(ordering: .relaxed)
    guard index - taken.load(ordering: .acquiring) < Self.capacity else { return false }
    unsafe places[index % Self.capacity] = tapeBreak
    written.store(index + 1, ordering: .releasing)
    return true
  }

  /// The oldest; nil: there is none. [reader]
  var first: TapeBreak? {
    let index = taken.load(ordering: .relaxed)
    guard index < written.load(ordering: .acquiring) else { return nil }
    return unsafe places[index % Self.capacity]
  }

  /// Takes the oldest out. [reader]
  func removeFirst() { taken.store(taken.load(ordering: .relaxed) + 1, ordering: .releasing) }
}

/// A gap in the tapes' time line: JACK did not run, or continues at another rate.
public struct TapeBreak: Sendable, Hashable {
  /// Where the sound before it ends.
  public var end: Int64
  /// Where the sound after it begins; what lies between is of no moment and to be passed over.
  public var start: Int64
  /// How long it took.
  public var nanoseconds: Int64
  /// JACK's rate after it, in hertz.
  public var sampleRate: Int

  /// Sound until `end`, silence of `nanoseconds`, and sound from `start` on.
  public init(end: Int64, start: Int64, nanoseconds: Int64, sampleRate: Int) {
    self.end = end
    self.start = start
    self.nanoseconds = nanoseconds
    self.sampleRate = sampleRate
  }
}
