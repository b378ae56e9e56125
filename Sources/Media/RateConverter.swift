/// Resamples audio from the sender's clock to the device's.
///
/// Bypassed while both run alike: then not a bit changes and nothing waits. It is engaged at a
/// start of sound, or in the midst of it without a step: the resampler gets the end of what was
/// played before, and what it makes of that is left out.
struct RateConverter {
  /// Silence that flushes the resampler.
  static let flushFrames = 64

  private let resampler: any FrameResampler
  private var input = [Float](repeating: 0, count: PeerStream.maximumCodedFrames)
  private var unwantedFrames = 0
  private var ratio = 1.0

  /// Whether audio goes through the resampler.
  private(set) var isEngaged = false
  /// Frames, at 48 kHz, that went in and have not come out.
  private(set) var heldFrames = 0.0

  init(_ resampler: any FrameResampler) { self.resampler = resampler }

  /// Latency once engaged.
  var latencyNanoseconds: Int64 { MediaClock.nanoseconds(frames: Int64(resampler.latencyFrames)) }
  /// The same of now.
  var heldNanoseconds: Int64 { Int64(heldFrames * 62_500 / 3) }

  /// Starts after silence.
  mutating func start(isEngaged: Bool) {
    self.isEngaged = isEngaged
    heldFrames = 0
    unwantedFrames = 0
    resampler.reset()
  }

  /// Engages during audio at 48 kHz; `history` is the audio played last.
  mutating func engage(after history: Span<Float>) {
    start(isEngaged: true)
    resampler.setRatio(1)
    let resampler = resampler
    var output = input.mutableSpan
    let step = resampler.process(history, into: &output)
    unwantedFrames = history.count - step.produced
  }

  /// Converts the first `frames` of `pcm` in place; returns the frames that became of them.
  mutating func convert(
    _ pcm: inout MutableSpan<Float>, frames: Int, ratio wanted: Double
  ) -> Int {
    guard isEngaged, frames > 0 else { return frames }
    // Right after engaging, what is unwanted is counted at 1.
    let next = unwantedFrames > 0 ? 1 : wanted
    if resampler.setRatio(next) { ratio = next }
    for index in 0..<frames { input[index] = pcm[index] }
    let step = resampler.process(input.span.extracting(..<frames), into: &pcm)
    let unwanted = min(unwantedFrames, step.produced)
    unwantedFrames -= unwanted
    let produced = step.produced - unwanted
    if unwanted > 0 {
      for index in 0..<produced { pcm[index] = pcm[index + unwanted] }
    }
    heldFrames += Double(step.consumed) - Double(produced) / ratio
    return produced
  }
}
