internal import Glibc
internal import Synchronization

/// Sound of one channel on its way between the media loop and a thread that has time, either way.
///
/// A ring with one writer and one reader, each wait-free: the writer stores frames and then its position (release),
/// which the reader loads first (acquire), and the other way round for what was read. Made off the loop.
///
/// Unchecked because the compiler cannot see it: the frames are shared by that protocol.
@safe public final class SoundQueue: @unchecked Sendable {
  /// Frames that it holds at most; a power of two.
  public let capacityFrames: Int
  private let frames: UnsafeMutableBufferPointer<Float>
  private let written = Atomic<Int>(0)
  private let taken = Atomic<Int>(0)
  private let lost = Atomic<Int>(0)
  /// What was written before this position is not wanted any more.
  private let wanted = Atomic<Int>(0)
  private let sounded = Atomic<Int>(0)

  /// Allocates and touches room for so many frames at least.
  public init(leastFrames: Int) throws(AudioError) {
    var capacity = 1
    while capacity < leastFrames { capacity *= 2 }
    let byteCount = capacity * MemoryLayout<Float>.stride
    guard let memory = unsafe malloc(byteCount) else {
      throw .outOfMemory(wanted: "a queue of sound of \(byteCount) bytes")
    }
    unsafe memset(memory, 0, byteCount)
    capacityFrames = capacity
    unsafe frames = UnsafeMutableBufferPointer(
      start: memory.assumingMemoryBound(to: Float.self), count: capacity)
  }

  deinit { unsafe free(frames.baseAddress) }

  // MARK: Writer

  /// Adds frames; returns how many found room, the others are counted as lost.
  @discardableResult
  public func write(_ pcm: Span<Float>) -> Int {
    let end = written.load(ordering: .relaxed)
    let count = min(pcm.count, capacityFrames - (end - taken.load(ordering: .acquiring)))
    for index in 0..<count { unsafe frames[(end + index) & (capacityFrames - 1)] = pcm[index] }
    written.store(end + count, ordering: .releasing)
    if count < pcm.count { lost.add(pcm.count - count, ordering: .relaxed) }
    return count
  }

  /// Frames that can be written now.
  public var roomFrames: Int {
    capacityFrames - (written.load(ordering: .relaxed) - taken.load(ordering: .acquiring))
  }

  /// Frames written so far: where the next one belongs.
  public var writtenFrames: Int { written.load(ordering: .relaxed) }

  /// What was written and is not heard yet is not wanted any more.
  public func cutOff() { wanted.store(written.load(ordering: .relaxed), ordering: .releasing) }

  // MARK: Reader

  /// Frames that wait.
  public var availableFrames: Int {
    written.load(ordering: .acquiring) - taken.load(ordering: .relaxed)
  }

  /// Takes the oldest frames; returns how many.
  public func read(into pcm: inout MutableSpan<Float>) -> Int {
    let start = taken.load(ordering: .relaxed)
    let count = min(pcm.count, written.load(ordering: .acquiring) - start)
    for index in 0..<count { unsafe pcm[index] = frames[(start + index) & (capacityFrames - 1)] }
    taken.store(start + count, ordering: .releasing)
    return count
  }

  /// Passes what is not wanted any more; false: there is nothing of it.
  public func passUnwanted() -> Bool {
    let position = wanted.load(ordering: .acquiring)
    guard position > sounded.load(ordering: .relaxed) else { return false }
    let start = taken.load(ordering: .relaxed)
    if position > start { taken.store(position, ordering: .releasing) }
    sounded.store(position, ordering: .releasing)
    return true
  }

  /// Says that so many of the frames that were read have not sounded yet.
  public func note(waitingFrames: Int) {
    let position = taken.load(ordering: .relaxed) - waitingFrames
    guard position > sounded.load(ordering: .relaxed) else { return }
    sounded.store(position, ordering: .releasing)
  }

  // MARK: Any thread

  /// Frames that have sounded, or are not wanted any more.
  public var soundedFrames: Int { sounded.load(ordering: .acquiring) }

  /// Frames that found no room.
  public var lostFrames: Int { lost.load(ordering: .relaxed) }
}
