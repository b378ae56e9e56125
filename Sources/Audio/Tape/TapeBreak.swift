/// A place on the tapes where time passed that has no frames: JACK did not run, or goes on at another rate.
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
