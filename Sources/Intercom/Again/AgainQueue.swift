internal import Glibc
internal import Synchronization

/// Sound of party lines on its way from the media loop to a thread that keeps the last of it.
///
/// A ring of short pieces with one writer and one reader, each wait-free: the writer stores a piece and then its count
/// (release), which the reader loads first (acquire), and the other way round for what was read. What finds no room is
/// left out.
///
/// Unchecked because the compiler cannot see it: the pieces are shared by that protocol.
@safe public final class AgainQueue: @unchecked Sendable {
  /// What is known of a piece.
  public struct Head: Sendable, Hashable {
    /// Places of the lines that it is for (`LineDesk.place(of:)`), a bit each.
    public let places: UInt64
    /// Where its first frame belongs on a time line in frames, which goes on while JACK does not run.
    public let position: Int64
    /// Hertz.
    public let sampleRate: Int
    fileprivate(set) var count: Int
  }

  /// Frames of a piece, at most.
  public static let pieceFrames = 256
  /// Half a second of eight talkers in pieces of 5 ms, and more of longer ones.
  private static let capacity = 1024

  private let heads: UnsafeMutableBufferPointer<Head>
  private let frames: UnsafeMutableBufferPointer<Float>
  private let written = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)

  /// Allocates and touches it: 1 MB.
  public init() {
    unsafe heads = .allocate(capacity: Self.capacity)
    unsafe heads.initialize(repeating: Head(places: 0, position: 0, sampleRate: 0, count: 0))
    unsafe frames = .allocate(capacity: Self.capacity * Self.pieceFrames)
    unsafe frames.initialize(repeating: 0)
  }

  deinit {
    unsafe heads.deallocate()
    unsafe frames.deallocate()
  }

  /// Puts frames in. [loop]
  ///
  /// - Parameters:
  ///   - places: of the lines that they are for.
  ///   - position: of the first.
  func write(_ pcm: Span<Float>, places: UInt64, position: Int64, sampleRate: Int) {
    var (start, end) = (0, written.load(ordering: .relaxed))
    while start < pcm.count {
      let count = min(Self.pieceFrames, pcm.count - start)
      guard end - taken.load(ordering: .acquiring) < Self.capacity else { return }
      let place = end & (Self.capacity - 1)
      for index in 0..<count {
        unsafe frames[place * Self.pieceFrames + index] = pcm[start + index]
      }
      unsafe heads[place] = Head(
        places: places, position: position + Int64(start), sampleRate: sampleRate, count: count)
      end += 1
      written.store(end, ordering: .releasing)
      start += count
    }
  }

  /// Takes all that is there, the oldest first. [reader]
  public func read(_ body: (Head, Span<Float>) -> Void) {
    let end = written.load(ordering: .acquiring)
    var start = taken.load(ordering: .relaxed)
    while start < end {
      let place = start & (Self.capacity - 1)
      let head = unsafe heads[place]
      let first = place * Self.pieceFrames
      let piece = unsafe UnsafeBufferPointer(rebasing: frames[first..<first + head.count])
      body(head, unsafe piece.span)
      start += 1
      taken.store(start, ordering: .releasing)
    }
  }
}

/// One stream's sound on its way to whoever keeps the last of the lines.
///
/// Loop thread only. Allocates nothing.
struct AgainTrack {
  let queue: AgainQueue
  /// Places of the lines that the stream's packets are for now and that are listened to, a bit each; 0: nothing is
  /// kept.
  var places: UInt64 = 0
  private var cursor = TapCursor()

  init(_ queue: AgainQueue) { self.queue = queue }

  /// Takes frames that were written to a ring.
  ///
  /// - Parameters:
  ///   - nextCallback: the position of the first frame of the next callback.
  ///   - waitingFrames: what the ring held before.
  mutating func keep(
    _ pcm: Span<Float>, nextCallback: Int64, waitingFrames: Int, sampleRate: Int
  ) {
    guard places != 0 else { return }
    let position = cursor.place(
      pcm.count, estimate: nextCallback + Int64(waitingFrames), isContinuous: waitingFrames > 0)
    queue.write(pcm, places: places, position: position, sampleRate: sampleRate)
  }
}
