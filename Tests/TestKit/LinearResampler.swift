public import Media

/// A resampler for tests: straight lines between frames, held back as long as a real one's would be.
///
/// For the tone of `ToneCodec` a straight line is exact to 80 dB, and it costs next to nothing.
public final class LinearResampler: FrameResampler {
  private static let mask = 16_383

  /// As SRC_SINC_FASTEST of libsamplerate.
  public let latencyFrames = 20
  /// Output frames per input frame.
  public private(set) var ratio = 1.0
  private var line = [Float](repeating: 0, count: mask + 1)
  private var takenCount = 0
  private var position = 0.0

  /// Makes a resampler at rest.
  public init() {}

  /// Takes any ratio above 0.
  public func setRatio(_ ratio: Double) -> Bool {
    guard ratio > 0 else { return false }
    self.ratio = ratio
    return true
  }

  /// Takes all; writes what the latency lets out.
  public func process(
    _ input: Span<Float>, into output: inout MutableSpan<Float>
  ) -> (consumed: Int, produced: Int) {
    for index in input.indices { line[(takenCount + index) & Self.mask] = input[index] }
    takenCount += input.count
    let end = Double(takenCount - latencyFrames)
    var produced = 0
    while position < end, produced < output.count {
      let frame = Int(position)
      let part = Float(position - Double(frame))
      let (left, right) = (line[frame & Self.mask], line[(frame + 1) & Self.mask])
      output[produced] = left + (right - left) * part
      produced += 1
      position += 1 / ratio
    }
    return (input.count, produced)
  }

  /// One at the same ratio.
  public func another() -> (any FrameResampler)? {
    let other = LinearResampler()
    other.ratio = ratio
    return other
  }

  /// Forgets the sound.
  public func reset() {
    (takenCount, position) = (0, 0)
    for index in line.indices { line[index] = 0 }
  }
}
