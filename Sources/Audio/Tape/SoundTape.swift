import Glibc
import Synchronization

/// One channel of sound on its way from the media loop to whoever keeps it, addressed by position.
///
/// A ring of frames in which position p has the place p mod ``capacityFrames``: sound of several tapes that belongs to
/// one moment has one position on all of them, in whatever order it came, and what nobody wrote is silence.
/// ``TapeDeck`` says how far it is written and how far read. One writer and one reader, each wait-free:
/// - the writer (the media loop) stores frames at positions that the deck has not published yet, and only up to
///   the capacity beyond the last position given back, which it loads with acquire;
/// - the reader takes frames below the published position (acquire, which pairs with the deck's release), leaves
///   silence in their place and then gives it back (release).
///
/// Unchecked because the compiler cannot see it: the frames are shared by that protocol.
@safe public final class SoundTape: @unchecked Sendable {
  /// As long as a disk may take without loss, at least.
  public static let leastSeconds = 5

  /// Frames between the reader and the writer, at most; a power of two.
  public let capacityFrames: Int
  private enum State {
    static let empty = 0
    static let loaded = 1
    static let claimed = 2
  }

  private let state = Atomic<Int>(State.empty)
  private let readPosition = Atomic<Int64>(0)
  private let lost = Atomic<Int>(0)
  /// Set before `state` says loaded, and never again.
  private let base = unsafe Atomic<UnsafeMutablePointer<Float>?>(nil)
  /// Written by the loop before `state` says claimed, and never again.
  private var talker = (name: "", id: "")

  /// A tape for sound at that rate, in hertz.
  init(sampleRate: Int) {
    capacityFrames = Self.capacityFrames(forRate: sampleRate)
  }

  /// The power of two that lasts for ``leastSeconds``.
  static func capacityFrames(forRate sampleRate: Int) -> Int {
    var frames = 1
    while frames < leastSeconds * sampleRate { frames *= 2 }
    return frames
  }

  deinit {
    unsafe free(base.load(ordering: .relaxed))
  }

  /// Frames that found no place because the reader was too far behind. [any]
  public var lostFrames: Int { lost.load(ordering: .relaxed) }

  // MARK: Reader

  /// Allocates and touches the frames, silent, to be written from `position` on; once.
  func load(from position: Int64) throws(AudioError) {
    let byteCount = capacityFrames * MemoryLayout<Float>.stride
    guard let memory = unsafe malloc(byteCount) else {
      throw .outOfMemory(wanted: "a recording buffer of \(byteCount) bytes")
    }
    // Written now, as the pages would else be made by the loop's first touch.
    unsafe memset(memory, 0, byteCount)
    unsafe base.store(memory.assumingMemoryBound(to: Float.self), ordering: .relaxed)
    readPosition.store(position, ordering: .relaxed)
    state.store(State.loaded, ordering: .releasing)
  }

  /// Whether it is loaded and belongs to nobody. [any]
  var isSpare: Bool { state.load(ordering: .relaxed) == State.loaded }

  /// Whether frames were allocated. [any]
  var isLoaded: Bool { state.load(ordering: .relaxed) != State.empty }

  /// Who it was claimed for; nil: nobody yet.
  ///
  /// Acquire, which pairs with ``claim(for:id:)``.
  var claimant: (name: String, id: String)? {
    state.load(ordering: .acquiring) == State.claimed ? talker : nil
  }

  /// Copies frames out and leaves silence; they must have been published.
  ///
  /// - Parameters:
  ///   - position: of the first frame.
  ///   - pcm: filled, up to ``capacityFrames``.
  public func take(at position: Int64, into pcm: inout MutableSpan<Float>) {
    guard let frames = unsafe frames else {
      for index in 0..<pcm.count { pcm[index] = 0 }
      return
    }
    unsafe pcm.withUnsafeMutableBufferPointer { pcm in
      var done = 0
      while done < pcm.count {
        let run = run(from: position + Int64(done), atMost: pcm.count - done)
        let piece = unsafe UnsafeMutableBufferPointer(rebasing: frames[run])
        let room = unsafe UnsafeMutableBufferPointer(
          rebasing: pcm[done..<(done + run.count)])
        _ = unsafe room.update(fromContentsOf: piece)
        unsafe piece.update(repeating: 0)
        done += run.count
      }
    }
  }

  /// Gives the places of all frames before `position` back.
  func giveBack(before position: Int64) {
    readPosition.store(position, ordering: .releasing)
  }

  // MARK: Writer

  /// Takes a spare tape for a talker; false: it is none. [loop]
  ///
  /// Wait-free: nobody else claims. Acquire, as the reader made its frames; release, as the reader gets the name.
  func claim(for name: String, id: String) -> Bool {
    guard state.load(ordering: .acquiring) == State.loaded else { return false }
    talker = (name, id)
    state.store(State.claimed, ordering: .releasing)
    return true
  }

  /// Puts frames down in place of what was there. [loop]
  ///
  /// - Parameters:
  ///   - pcm: frames, of which those before `floor` or without a place are lost.
  ///   - position: of the first of them.
  ///   - floor: the first position that is not published.
  public func write(_ pcm: Span<Float>, at position: Int64, floor: Int64) {
    unsafe place(pcm, at: position, floor: floor) { piece, frames, _ in
      _ = unsafe piece.update(fromContentsOf: frames)
    }
  }

  /// Adds frames, each times a factor that moves by `step` a frame from `gain` on, to what is there. [loop]
  ///
  /// Otherwise as ``write(_:at:floor:)``.
  public func add(
    _ pcm: Span<Float>, gain: Float, step: Float, at position: Int64, floor: Int64
  ) {
    unsafe place(pcm, at: position, floor: floor) { piece, frames, first in
      for index in 0..<frames.count {
        unsafe piece[index] += frames[index] * (gain + step * Float(first + index))
      }
    }
  }

  /// Calls `body` with each run of places: what lies there, the frames for it, and which of `pcm` is the first of them.
  private func place(
    _ pcm: Span<Float>, at position: Int64, floor: Int64,
    _ body: (UnsafeMutableBufferPointer<Float>, UnsafeBufferPointer<Float>, Int) -> Void
  ) {
    guard let frames = unsafe frames else { return }
    let end = readPosition.load(ordering: .acquiring) + Int64(capacityFrames)
    let first = Int(min(max(floor - position, 0), Int64(pcm.count)))
    let last = Int(max(min(end - position, Int64(pcm.count)), Int64(first)))
    // What was before the recording began is not lost.
    let before = Int(min(max(-position, 0), Int64(pcm.count)))
    let missing = pcm.count - before - (last - first)
    if missing > 0 { lost.add(missing, ordering: .relaxed) }
    unsafe pcm.withUnsafeBufferPointer { pcm in
      var done = first
      while done < last {
        let run = run(from: position + Int64(done), atMost: last - done)
        unsafe body(
          UnsafeMutableBufferPointer(rebasing: frames[run]),
          UnsafeBufferPointer(rebasing: pcm[done..<(done + run.count)]), done)
        done += run.count
      }
    }
  }

  private var frames: UnsafeMutableBufferPointer<Float>? {
    guard let start = unsafe base.load(ordering: .relaxed) else { return nil }
    return unsafe UnsafeMutableBufferPointer(start: start, count: capacityFrames)
  }

  /// The places of the frames from a position on, as far as they lie side by side.
  private func run(from position: Int64, atMost count: Int) -> Range<Int> {
    let place = Int(truncatingIfNeeded: position) & (capacityFrames - 1)
    return place..<min(place + count, capacityFrames)
  }
}
