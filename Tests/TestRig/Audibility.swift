/// In how many JACK cycles a probe heard something, input by input.
public struct Audibility: Sendable, Equatable {
  /// Cycles run.
  public var cycles: Int
  /// Those of them in which an input was louder than -40 dBFS at its peak; in order of the inputs.
  public var audible: [Int]

  /// What there was since an earlier look at the same probe.
  public func since(_ earlier: Audibility) -> Audibility {
    Audibility(
      cycles: cycles - earlier.cycles, audible: zip(audible, earlier.audible).map { $0 - $1 })
  }
}
