internal import Glibc

/// Takes out what the filter leaves of the echo, bin by bin, and all of it while only the far end talks.
///
/// What is left is the more of two guesses: what the filter itself says it does not know yet, and what moves with the
/// echo that was taken off (a loudspeaker that is overdriven). Windows of two blocks; the sound is a block late.
final class EchoResidual {
  /// What it is like; found by `./dev bench voice`.
  private enum Shape {
    static let (least, alone): (Float, Float) = (0.01, 0.12)
    static let overestimate: Float = 1
    static let leakSmoothing: Float = 0.003
    static let hertz = (lowest: 400, highest: 8000)
    /// Only the far end talks as long as what passes is less than so many times the noise, or such a part of the echo.
    static let (noise, echo): (Float, Float) = (16, 0.05)
    /// Blocks after the echo in which nobody is let in but by talking.
    static let hold = 120
  }

  /// What a loudspeaker that is overdriven leaves of echo, which no filter takes off.
  private struct Distortion {
    /// What is heard beyond so many times the least that echo leaves is somebody near; beyond more times where that
    /// least is more than a loudspeaker leaves that does not distort.
    static let (clean, distorted): (Float, Float) = (3, 12)
    static let distortion: Float = 0.004
    /// The least of what was heard for so much echo taken off lately, in parts.
    private var least: Float = 1
    private var (heardLately, echoLately): (Float, Float) = (0, 0)

    /// What may be left of so much echo; what is heard beyond that is somebody near.
    mutating func left(_ heard: Float, _ echo: Float) -> Float {
      heardLately += 0.1 * (heard - heardLately)
      echoLately += 0.1 * (echo - echoLately)
      if echoLately > 1e-6, echo > 0.3 * echoLately {
        let part = min(1, heardLately / echoLately)
        least = part < least ? 0.8 * least + 0.2 * part : min(1, least * 1.002)
      }
      let times = least > Self.distortion ? Self.distorted : Self.clean
      return times * least * max(echo, 0.5 * echoLately)
    }
  }

  /// A running mean, and how its changes go along with another's.
  private struct Trend {
    var (error, echo): (Float, Float) = (0, 0)
    var (both, square): (Float, Float) = (0, 1e-9)

    mutating func take(_ error: Float, _ echo: Float, _ smoothing: Float) {
      self.error += 0.1 * (error - self.error)
      self.echo += 0.1 * (echo - self.echo)
      let (change, cause) = (error - self.error, echo - self.echo)
      both += smoothing * (change * cause - both)
      square += smoothing * (cause * cause - square)
    }

    /// How much of the other is in the one.
    var leak: Float { min(1, max(0, both / square)) }
  }

  /// Whether anything that was played may be heard; otherwise all passes.
  var isEchoPossible = false
  private let transform: RealTransform
  private let blockFrames: Int
  private let bins: Range<Int>
  private let window: [Float]
  private let (errors, echoes): (FloatRoom, FloatRoom)
  private let (errorSpectrum, echoSpectrum): (SpectrumRoom, SpectrumRoom)
  private var trends: [Trend]
  private var distortion = Distortion()
  private let (gains, lastPower): (FloatRoom, FloatRoom)
  private let (lastLeft, noise): (FloatRoom, FloatRoom)
  private var hasNoise = false
  private let (signal, overlap): (FloatRoom, FloatRoom)
  private var holdBlocks = 0
  private var factor: Float = 1

  init(transform: RealTransform, blockFrames: Int, sampleRate: Int) {
    self.transform = transform
    self.blockFrames = blockFrames
    let highest = min(Shape.hertz.highest, sampleRate / 2)
    bins =
      Shape.hertz.lowest * transform.count / sampleRate..<highest * transform.count / sampleRate
    window = (0..<2 * blockFrames).map {
      Float(sin(.pi * (Double($0) + 0.5) / Double(2 * blockFrames)))
    }
    (errors, echoes) = (FloatRoom(count: 2 * blockFrames), FloatRoom(count: 2 * blockFrames))
    (errorSpectrum, echoSpectrum) = (
      SpectrumRoom(bins: transform.binCount), SpectrumRoom(bins: transform.binCount)
    )
    let count = transform.binCount
    trends = [Trend](repeating: Trend(), count: count)
    (gains, lastPower) = (FloatRoom(1, count: count), FloatRoom(count: count))
    (lastLeft, noise) = (FloatRoom(count: count), FloatRoom(count: count))
    (signal, overlap) = (FloatRoom(count: transform.count), FloatRoom(count: blockFrames))
  }

  /// The room is another one: what was left lately says nothing any more.
  func forget() { distortion = Distortion() }

  /// Takes what the filter made of a block, and gives the block before.
  func run(
    error: FloatRoom, estimate: FloatRoom, residual: FloatRoom, into block: FloatRoom
  ) {
    analyse(error, errors, errorSpectrum)
    analyse(estimate, echoes, echoSpectrum)
    weigh(residual)
    transform.inverse(errorSpectrum, into: signal)
    for index in 0..<blockFrames {
      block[index] = overlap[index] + signal[index] * window[index]
      overlap[index] = signal[blockFrames + index] * window[blockFrames + index]
    }
  }

  private func analyse(_ fresh: FloatRoom, _ kept: FloatRoom, _ spectrum: SpectrumRoom) {
    for index in 0..<blockFrames {
      kept[index] = kept[blockFrames + index]
      kept[blockFrames + index] = fresh[index]
    }
    for index in 0..<transform.count {
      signal[index] = index < kept.count ? kept[index] * window[index] : 0
    }
    transform.forward(signal, into: spectrum)
  }

  private func weigh(_ residual: FloatRoom) {
    var (passing, quiet, left, heard, echo): (Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0)
    for bin in 0..<transform.binCount {
      let power = Self.power(errorSpectrum, bin)
      let echoPower = Self.power(echoSpectrum, bin)
      trends[bin].take(power, echoPower, Shape.leakSmoothing)
      let unsure = Shape.overestimate * 0.5 * (residual[bin] + lastLeft[bin])
      lastLeft[bin] = residual[bin]
      let rest = max(unsure, trends[bin].leak * echoPower) + 1e-9
      let before = gains[bin] * gains[bin] * lastPower[bin] / rest
      let ratio = 0.9 * before + 0.1 * max(power / rest - 1, 0)
      gains[bin] = isEchoPossible ? max(ratio / (1 + ratio), Shape.least) : 1
      lastPower[bin] = power
      followNoise(bin, power)
      guard bins.contains(bin) else { continue }
      passing += gains[bin] * gains[bin] * power
      (quiet, left) = (quiet + noise[bin], left + rest)
      (heard, echo) = (heard + power, echo + echoPower)
    }
    hasNoise = true
    let expected = max(left, distortion.left(heard, echo))
    holdBlocks = expected > 0.5 * quiet ? Shape.hold : max(0, holdBlocks - 1)
    let isFarAlone =
      isEchoPossible && holdBlocks > 0
      && (passing < Shape.noise * quiet || passing < Shape.echo * left || heard < expected)
    let wanted = isFarAlone ? Shape.alone : 1
    factor += (wanted > factor ? 1 : 0.3) * (wanted - factor)
    for bin in 0..<transform.binCount {
      errorSpectrum.real[bin] *= gains[bin] * factor
      errorSpectrum.imaginary[bin] *= gains[bin] * factor
    }
  }

  /// Down at once, up by 9 dB a second.
  private func followNoise(_ bin: Int, _ power: Float) {
    guard hasNoise else {
      noise[bin] = power
      return
    }
    noise[bin] = power < noise[bin] ? 0.7 * noise[bin] + 0.3 * power : noise[bin] * 1.01
    // Silence must not keep it at nothing.
    noise[bin] = max(noise[bin], 1e-12)
  }

  private static func power(_ spectrum: SpectrumRoom, _ bin: Int) -> Float {
    let (re, im) = (spectrum.real[bin], spectrum.imaginary[bin])
    return re * re + im * im
  }
}
