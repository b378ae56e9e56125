/// By how many blocks the echo is late: at which age of what was played the microphone is most like it, by the
/// coherence over some seconds, 400 Hz to 8 kHz.
struct EchoDelayFinder {
  private enum Shape {
    static let hertz = (lowest: 400, highest: 8000)
    static let smoothing: Float = 0.01
    /// Blocks with sound between two looks, and before the first.
    static let interval = 50
    /// Less like it is chance; and how much more like it than at most other ages it has to be.
    static let (least, contrast): (Float, Float) = (0.05, 3)
    /// So many looks on end have to say the same.
    static let looks = 3
    /// An age at which it is so much as like it as at the best may be where the echo begins.
    static let onset: Float = 0.25
    /// A microphone or a loudspeaker with less power has nothing to tell.
    static let leastPower: Float = 1e-9
  }

  private let transform: RealTransform
  private let lags: Int
  private let bins: Range<Int>
  /// Of each lag, one after the other.
  private let (crossRe, crossIm): (FloatRoom, FloatRoom)
  private let (farPower, nearPower): (FloatRoom, FloatRoom)
  private let near: SpectrumRoom
  private let signal: FloatRoom
  private var likeness: [Float]
  private var (heardBlocks, looks, lastLag) = (0, 0, 0)

  init(transform: RealTransform, lags: Int, sampleRate: Int) {
    self.transform = transform
    self.lags = lags
    let highest = min(Shape.hertz.highest, sampleRate / 2 - 200)
    let first = Shape.hertz.lowest * transform.count / sampleRate
    bins = first..<max(first + 1, highest * transform.count / sampleRate)
    (crossRe, crossIm) = (FloatRoom(count: lags * bins.count), FloatRoom(count: lags * bins.count))
    (farPower, nearPower) = (FloatRoom(count: bins.count), FloatRoom(count: bins.count))
    near = SpectrumRoom(bins: transform.binCount)
    signal = FloatRoom(count: transform.count)
    likeness = [Float](repeating: 0, count: lags)
  }

  /// Takes a block of the microphone, and what was played up to it; `head` is the newest.
  ///
  /// - Returns: whether it is time to look at ``lag(beyond:partitions:)``.
  mutating func hear(
    _ microphone: Span<Float>, spectra: SpectrumRoom, power: FloatRoom, head: Int
  ) -> Bool {
    var loudness: Float = 0
    let first = transform.count - microphone.count
    for index in 0..<first { signal[index] = 0 }
    for index in 0..<microphone.count {
      signal[first + index] = microphone[index]
      loudness += microphone[index] * microphone[index]
    }
    let played = power.count / spectra.bins
    guard loudness > Shape.leastPower * Float(microphone.count) else { return false }
    transform.forward(signal, into: near)
    var far: Float = 0
    for index in 0..<bins.count {
      let bin = bins.lowerBound + index
      let x2 = power[head * spectra.bins + bin]
      far += x2
      farPower[index] += Shape.smoothing * (x2 - farPower[index])
      let d2 = near.real[bin] * near.real[bin] + near.imaginary[bin] * near.imaginary[bin]
      nearPower[index] += Shape.smoothing * (d2 - nearPower[index])
    }
    for lag in 0..<lags {
      cross(lag, spectra, (head - lag + played) % played * spectra.bins + bins.lowerBound)
    }
    guard far > Shape.leastPower * Float(microphone.count * bins.count) else { return false }
    heardBlocks += 1
    return heardBlocks % Shape.interval == 0
  }

  private func cross(_ lag: Int, _ spectra: SpectrumRoom, _ place: Int) {
    let (count, first) = (bins.count, bins.lowerBound)
    let (xRe, xIm) = unsafe (
      spectra.real.part(place, count), spectra.imaginary.part(place, count)
    )
    let (dRe, dIm) = unsafe (near.real.part(first, count), near.imaginary.part(first, count))
    let re = unsafe crossRe.part(lag * count, count)
    let im = unsafe crossIm.part(lag * count, count)
    for bin in 0..<count {
      let newRe = unsafe xRe[bin] * dRe[bin] + xIm[bin] * dIm[bin]
      let newIm = unsafe xRe[bin] * dIm[bin] - xIm[bin] * dRe[bin]
      unsafe re[bin] += Shape.smoothing * (newRe - re[bin])
      unsafe im[bin] += Shape.smoothing * (newIm - im[bin])
    }
  }

  /// Where the filter should begin, if elsewhere than it does: a block or two before the echo.
  mutating func lag(beyond present: Int, partitions: Int) -> Int? {
    var (best, mean): (Float, Float) = (0, 0)
    var bestLag = 0
    for lag in 0..<lags {
      likeness[lag] = coherence(lag)
      mean += likeness[lag] / Float(lags)
      if likeness[lag] > best { (best, bestLag) = (likeness[lag], lag) }
    }
    guard best > Shape.least, best > Shape.contrast * mean else {
      looks = 0
      return nil
    }
    looks = abs(bestLag - lastLag) <= 1 ? looks + 1 : 1
    lastLag = bestLag
    guard looks >= Shape.looks else { return nil }
    let onset = likeness.firstIndex { $0 > Shape.onset * best } ?? bestLag
    // As long as the filter has it in its first half it stays where it is.
    guard onset < present || bestLag > present + partitions / 2 else { return nil }
    return max(0, onset - 2)
  }

  private func coherence(_ lag: Int) -> Float {
    var sum: Float = 0
    let first = lag * bins.count
    for bin in 0..<bins.count {
      let (re, im) = (crossRe[first + bin], crossIm[first + bin])
      let power = farPower[bin] * nearPower[bin]
      if power > 0 { sum += (re * re + im * im) / power }
    }
    return sum / Float(bins.count)
  }
}
