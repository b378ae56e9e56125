internal import Glibc

/// A tone that rises through the band of speech, as loud at its end as at its start: found again by ``PatternSearch`` whatever is
/// said beside it.
///
/// Exponential: each octave takes as long as the next. 200 ms of 3.1 kHz stand 28 dB above noise of their own band, once
/// correlated (10 log 2BT).
public struct Sweep: Hashable, Sendable {
  /// The telephone's band, which every codec mode here carries, Hz.
  public static let band = 300.0...3400.0
  /// How long it is, seconds.
  public static let seconds = 0.2
  /// Its beginning and end are faded for so long, seconds.
  private static let fadeSeconds = 0.01

  /// Mono frames, full scale 1.0.
  public let frames: [Float]

  /// Makes the sweep for a sample rate.
  ///
  /// - Parameter amplitude: its peak, full scale 1.0.
  public init(sampleRate: Int, amplitude: Float) {
    let rate = Double(sampleRate)
    let count = Int(Self.seconds * rate)
    let growth = log(Self.band.upperBound / Self.band.lowerBound)
    let scale = 2 * Double.pi * Self.band.lowerBound * Self.seconds / growth
    frames = (0..<count).map { index in
      let place = Double(index) / Double(count)
      let fade = min(1, Double(min(index, count - 1 - index)) / (Self.fadeSeconds * rate))
      let gain = 0.5 - 0.5 * cos(.pi * fade)
      return amplitude * Float(gain * sin(scale * (exp(growth * place) - 1)))
    }
  }
}
