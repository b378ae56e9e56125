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
  /// What the last output was asked for with.
  private var usedRatio = 1.0
  /// What was left out of the last output.
  private var leftOutFrames = 0
  /// The second channel's, in step; nil: there is none.
  private var sideResampler: (any FrameResampler)?
  /// What became of the second channel last.
  private var side: [Float] = []
  /// How much of it there is; what is missing is silent.
  private(set) var sideFrames = 0

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
    sideResampler?.reset()
  }

  /// Engages during audio at 48 kHz; `history` is the audio played last.
  mutating func engage(after history: Span<Float>) {
    engage(after: history, side: history.extracting(..<0))
  }

  /// The same, and `sideHistory` that of the second channel.
  mutating func engage(after history: Span<Float>, side sideHistory: Span<Float>) {
    start(isEngaged: true)
    if let sideResampler, sideHistory.count == history.count {
      sideResampler.setRatio(1)
      var output = input.mutableSpan
      _ = sideResampler.process(sideHistory, into: &output)
    }
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
    leftOutFrames = unwanted
    usedRatio = next
    let produced = step.produced - unwanted
    if unwanted > 0 {
      for index in 0..<produced { pcm[index] = pcm[index + unwanted] }
    }
    heldFrames += Double(step.consumed) - Double(produced) / ratio
    return produced
  }

  // MARK: The second channel

  /// Has a second channel from now on, silent up to now; `history` is the audio of the first played last.
  ///
  /// A resampler that runs begins anew with both, where it stands. Allocates.
  /// - Returns: false: there is no resampler for it.
  mutating func openSide(after history: Span<Float>) -> Bool {
    guard let other = resampler.another() else { return false }
    sideResampler = other
    side = [Float](repeating: 0, count: PeerStream.maximumRenderFrames)
    sideFrames = 0
    guard isEngaged else { return true }
    let held = heldFrames
    let silence = [Float](repeating: 0, count: history.count)
    engage(after: history, side: silence.span)
    unwantedFrames = max(0, unwantedFrames - Int(held.rounded()))
    heldFrames = held
    return true
  }

  /// Has one channel again.
  mutating func closeSide() { (sideResampler, side, sideFrames) = (nil, [], 0) }

  /// Nothing of the second channel is there yet.
  mutating func forgetSide() { sideFrames = 0 }

  /// Writes the first frames of what became of the second channel to the start of `pcm`.
  func writeSide(_ frames: Int, into pcm: inout MutableSpan<Float>) {
    for index in 0..<frames { pcm[index] = side[index] }
  }

  /// Converts the second channel of the `frames` that ``convert(_:frames:ratio:)`` took last; beyond `pcm` it is
  /// silent.
  mutating func convertSide(_ pcm: Span<Float>, frames: Int) {
    guard let sideResampler, frames > 0 else { return }
    let known = min(frames, pcm.count)
    for index in 0..<known { input[index] = pcm[index] }
    for index in known..<frames { input[index] = 0 }
    guard isEngaged else {
      for index in 0..<frames { side[index] = input[index] }
      sideFrames = frames
      return
    }
    sideResampler.setRatio(usedRatio)
    var converted = side
    side = []
    var output = converted.mutableSpan
    let produced = sideResampler.process(input.span.extracting(..<frames), into: &output).produced
    side = converted
    sideFrames = max(0, produced - leftOutFrames)
    if leftOutFrames > 0 {
      for index in 0..<sideFrames { side[index] = side[index + leftOutFrames] }
    }
  }
}
