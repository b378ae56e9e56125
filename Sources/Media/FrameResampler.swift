/// Changes how many frames a second of sound has, by a ratio that may change with every call.
///
/// The seam to the converter: Media imports none, whoever wires the node conforms a real one.
/// Loop thread only. Implementations allocate nothing after their creation. Output frame n is the
/// input at n / ratio, up to what `latencyFrames` holds back.
public protocol FrameResampler: AnyObject {
  /// Output frames per input frame, from the next output frame on: 1/6...4.1.
  ///
  /// The sound goes on without a step.
  ///
  /// - Returns: false: refused, the old ratio stays.
  @discardableResult
  func setRatio(_ ratio: Double) -> Bool

  /// Converts until the input is used up or the output full.
  ///
  /// - Returns: input frames taken, and output frames written from the span's start on.
  func process(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) -> (consumed: Int, produced: Int)

  /// Input frames that are held back, at most, as their sound is not whole yet.
  var latencyFrames: Int { get }

  /// Forgets the sound so far; the ratio stays.
  func reset()
}
