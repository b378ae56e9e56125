internal import Audio

/// Brings one or two channels from JACK's rate to a file's; where they are the same it does nothing.
///
/// However much was given, as much of it comes out as makes the same time, to the frame.
final class RateConverter {
  private static let roomFrames = 4096

  private let channels: Int
  private let sampleRate: Int
  private let fileRate: Int
  /// One a channel; none where the rates are the same.
  private var resamplers: [Resampler] = []
  private var takenFrames = 0
  private var givenFrames = 0
  private var input: [Float] = []
  private var output = [Float](repeating: 0, count: RateConverter.roomFrames)

  /// From `sampleRate` to `fileRate`, in hertz.
  init(channels: Int, sampleRate: Int, fileRate: Int) throws(AudioError) {
    self.channels = channels
    self.sampleRate = sampleRate
    self.fileRate = fileRate
    guard sampleRate != fileRate else { return }
    let ratio = Double(fileRate) / Double(sampleRate)
    for _ in 0..<channels { resamplers.append(try Resampler(ratio: ratio)) }
  }

  /// Passes over silence before the first sound.
  ///
  /// - Returns: how long it is at the file's rate.
  func skip(frames: Int) -> Int {
    takenFrames += frames
    let skipped = wantedFrames - givenFrames
    givenFrames += skipped
    return skipped
  }

  /// Adds what becomes of these frames; interleaved both.
  func convert(_ pcm: Span<Float>, onto result: inout [Float]) {
    takenFrames += pcm.count / channels
    guard !resamplers.isEmpty else {
      givenFrames = takenFrames
      for index in 0..<pcm.count { result.append(pcm[index]) }
      return
    }
    run(pcm, onto: &result, mostFrames: .max)
  }

  /// Adds what is still inside.
  func finish(onto result: inout [Float]) {
    guard !resamplers.isEmpty else { return }
    let silence = [Float](repeating: 0, count: 256 * channels)
    while givenFrames < wantedFrames {
      run(silence.span, onto: &result, mostFrames: wantedFrames - givenFrames)
    }
  }

  private var wantedFrames: Int {
    Self.frames(takenFrames, at: sampleRate, as: fileRate)
  }

  /// What makes the same time at another rate, rounded down.
  static func frames(_ count: Int, at sampleRate: Int, as fileRate: Int) -> Int {
    let (seconds, rest) = count.quotientAndRemainder(dividingBy: sampleRate)
    return seconds * fileRate + rest * fileRate / sampleRate
  }

  private func run(_ pcm: Span<Float>, onto result: inout [Float], mostFrames: Int) {
    let start = result.count
    var produced = 0
    for (channel, resampler) in resamplers.enumerated() {
      input.removeAll(keepingCapacity: true)
      for index in stride(from: channel, to: pcm.count, by: channels) { input.append(pcm[index]) }
      produced = 0
      var consumed = 0
      while consumed < input.count {
        var room = output.mutableSpan
        let step = resampler.process(input.span.extracting(consumed...), into: &room)
        guard step.consumed > 0 || step.produced > 0 else { break }
        consumed += step.consumed
        let kept = min(step.produced, mostFrames - produced)
        for index in 0..<kept {
          let place = start + (produced + index) * channels + channel
          while result.count <= place { result.append(0) }
          result[place] = output[index]
        }
        produced += kept
      }
    }
    givenFrames += produced
  }
}
