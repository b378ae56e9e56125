internal import Glibc

/// Finds a known sound in a recording: a matched filter, judged by how much of what is heard at that place it explains.
///
/// The judgement is the correlation, -1…1, of the pattern and the recording within a band, each place by the energy
/// around it: loud sounds beside it, or silence, decide nothing.
/// Noise of the pattern's band reaches 4.2/√(2BT) at 10⁴ places.
public struct PatternSearch: Sendable {
  /// Where a pattern was found.
  public struct Match: Hashable, Sendable {
    /// Frames from the window's start, between frames as well.
    public var lagFrames: Double
    /// How much of what is heard there is the pattern, 0…1.
    public var correlation: Double
    /// How loud the band is there, as a factor to the pattern: what is not of the pattern counts, too.
    public var gain: Double
  }

  /// From this correlation on a match is one: 7 standard deviations of noise for a ``Sweep``, which at a
  /// signal-to-noise ratio of -20 dB over the whole 24 kHz has 0.27.
  public static let leastCorrelation = 0.2
  /// What is below this share of the pattern's energy is rounding: -120 dB.
  private static let leastEnergyShare = 1e-12

  private let pattern: [Float]
  private let energy: Double
  private let sampleRate: Int
  private let band: ClosedRange<Double>

  /// A search for a pattern, which keeps to `band`, in Hz.
  public init(for pattern: [Float], sampleRate: Int, band: ClosedRange<Double>) {
    self.pattern = pattern
    self.sampleRate = sampleRate
    self.band = band
    energy = pattern.reduce(0) { $0 + Double($1) * Double($1) }
  }

  /// The best place of the whole pattern in a window; nil: it is nowhere.
  public func best(in window: [Float]) -> Match? {
    let lags = window.count - pattern.count + 1
    guard lags > 0, energy > 0 else { return nil }
    let transform = FourierTransform(holding: window.count)
    let products = transform.correlation(of: pattern, in: window)
    let heard = transform.limited(window, to: band, sampleRate: sampleRate)
    var around = heard[..<pattern.count].reduce(0) { $0 + Double($1) * Double($1) }
    var values = [Double](repeating: 0, count: lags)
    for lag in 0..<lags {
      if around > energy * Self.leastEnergyShare {
        values[lag] = Double(products[lag]) / (energy * around).squareRoot()
      }
      guard lag + pattern.count < heard.count else { break }
      let (new, old) = (Double(heard[lag + pattern.count]), Double(heard[lag]))
      around = max(0, around + new * new - old * old)
    }
    guard let peak = values.indices.max(by: { values[$0] < values[$1] }),
      values[peak] >= Self.leastCorrelation
    else { return nil }
    return Match(
      lagFrames: Double(peak) + Self.vertex(values, at: peak),
      correlation: min(1, values[peak]),
      gain: Double(products[peak]) / energy / values[peak])
  }

  /// Where between its neighbours a parabola through a peak is highest, -0.5…0.5.
  private static func vertex(_ values: [Double], at peak: Int) -> Double {
    guard peak > 0, peak + 1 < values.count else { return 0 }
    let (left, centre, right) = (values[peak - 1], values[peak], values[peak + 1])
    let curvature = left - 2 * centre + right
    return curvature < 0 ? max(-0.5, min(0.5, (left - right) / (2 * curvature))) : 0
  }
}

/// A tone that rises through the band of speech, as loud at its end as at its start: found again by ``PatternSearch``
/// whatever is said beside it.
///
/// Exponential: each octave takes as long as the next. 200 ms of 3.1 kHz stand 28 dB above noise of their own band,
/// once correlated (10 log 2BT).
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
