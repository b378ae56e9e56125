import Synchronization

/// Sound of one channel on its way from one thread to another, one of which may be the media loop; neither ever waits.
///
/// One writer and one reader. The writer never overtakes the reader by more than ``SoundTape/leastSeconds``: what finds
/// no room is lost where it writes on (``write(_:)``), or is not taken (``add(_:)``).
public final class SoundPipe: Sendable {
  /// Hertz.
  public let sampleRate: Int
  private let tape: SoundTape
  private let written = Atomic<Int64>(0)
  private let taken = Atomic<Int64>(0)
  private let ended = Atomic<Bool>(false)

  /// Allocates it.
  public init(sampleRate: Int) throws(AudioError) {
    self.sampleRate = sampleRate
    tape = SoundTape(sampleRate: sampleRate)
    try tape.load(from: 0)
  }

  // MARK: Writer

  /// Puts sound in; what has no room is lost. [loop]
  ///
  /// Wait-free; release, which pairs with the reader's.
  public func write(_ pcm: Span<Float>) {
    let position = written.load(ordering: .relaxed)
    tape.write(pcm, at: position, floor: position)
    written.store(position + Int64(pcm.count), ordering: .releasing)
  }

  /// Frames that have room. [writer]
  public var roomFrames: Int {
    tape.capacityFrames - Int(written.load(ordering: .relaxed) - taken.load(ordering: .acquiring))
  }

  /// Nothing comes any more. [writer]
  public func end() { ended.store(true, ordering: .releasing) }

  // MARK: Reader

  /// Whether the writer ended; ask before ``availableFrames``. [any]
  public var hasEnded: Bool { ended.load(ordering: .acquiring) }

  /// Frames that can be taken. [reader]
  public var availableFrames: Int {
    Int(written.load(ordering: .acquiring) - taken.load(ordering: .relaxed))
  }

  /// Takes the oldest frames; so many have to be available. [reader]
  ///
  /// Wait-free.
  public func take(into pcm: inout MutableSpan<Float>) {
    let position = taken.load(ordering: .relaxed)
    tape.take(at: position, into: &pcm)
    tape.giveBack(before: position + Int64(pcm.count))
    taken.store(position + Int64(pcm.count), ordering: .releasing)
  }
}
