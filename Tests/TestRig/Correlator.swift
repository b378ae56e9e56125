import Measurement

/// Finds played speech in a recording, segment by segment, and how much later it came.
///
/// Normalised cross-correlation with a parabola through the peak; the time lines of both sides turn
/// positions into times of one clock, so the two may hang on JACK servers that run apart.
public struct Correlator: Sendable {
  /// One voiced piece of the source and where it was found.
  public struct Segment: Sendable {
    /// When its first frame was played, nanoseconds of JACK's clock.
    public var playedNanoseconds: Double
    /// From the port it was played into to the port it was recorded from.
    public var latencyMilliseconds: Double
    /// Of the whole segment at one lag, -1...1; the peak of the search.
    public var correlation: Double
    /// Of each voiced 50 ms of it, aligned by itself within 3 ms: a syllable's worth is understood or not, whatever
    /// became of the next, and a slip of a period spoils one.
    public var blockCorrelations: [Double]
    /// No cycle of either server was late while the segment was under way, and it was found whole.
    public var isSteady: Bool
  }

  /// Length of a segment in frames.
  public var segmentFrames: Int
  /// Longest lag searched, in frames.
  public var searchFrames: Int
  /// Frames per second of both sides.
  public var sampleRate: Double
  /// A segment counts as found from this correlation on.
  public var threshold = 0.8

  /// Frames searched before the moment of playing, to show a wrong clock rather than hide it.
  private static let marginFrames = 240

  private let transform: FourierTransform

  /// Creates a correlator for one rate; the search's tables are made here.
  public init(
    sampleRate: Double, segmentSeconds: Double = 0.25, maximumLatencySeconds: Double = 0.25
  ) {
    self.sampleRate = sampleRate
    segmentFrames = Int(sampleRate * segmentSeconds)
    searchFrames = Int(sampleRate * maximumLatencySeconds)
    transform = FourierTransform(holding: segmentFrames + searchFrames + Self.marginFrames)
  }

  /// Measures all voiced segments that were played and can be in the recording.
  ///
  /// - Parameters:
  ///   - source: what was played; repeated without end if the probe's time line goes on.
  ///   - skippingSeconds: leave out what was played before this time.
  public func measure(
    source: [Float], played: TimeLine, recording: [Float], recorded: TimeLine,
    skippingSeconds: Double = 0
  ) -> [Segment] {
    guard let last = played.cycles.last, !source.isEmpty else { return [] }
    let loudness = Sound.rootMeanSquare(source)
    var result: [Segment] = []
    var start = Int(skippingSeconds * sampleRate)
    while start + segmentFrames <= Int(last.position) {
      let pattern = (start..<start + segmentFrames).map { source[$0 % source.count] }
      if Sound.rootMeanSquare(pattern) > loudness / 2,
        let segment = locate(pattern, start, played, recording, recorded)
      {
        result.append(segment)
      }
      start += segmentFrames
    }
    return result
  }

  /// The lag (in frames, fractional) of the best match of a pattern in a window, and its value.
  ///
  /// Nil when the window is shorter than the pattern or either is silent.
  public func bestLag(
    of pattern: [Float], in window: [Float]
  ) -> (lag: Double, correlation: Double)? {
    let lags = window.count - pattern.count + 1
    let energy = pattern.reduce(0.0) { $0 + Double($1) * Double($1) }
    guard lags > 0, energy > 0, window.count <= transform.size else { return nil }
    let products = transform.correlation(of: pattern, in: window)
    var windowEnergy = window[..<pattern.count].reduce(0.0) { $0 + Double($1) * Double($1) }
    var values = [Double](repeating: 0, count: lags)
    for lag in 0..<lags {
      // Below -100 dB of the pattern there is nothing but rounding.
      if windowEnergy > energy * 1e-10 {
        values[lag] = Double(products[lag]) / (energy * windowEnergy).squareRoot()
      }
      if lag + pattern.count < window.count {
        let (new, old) = (Double(window[lag + pattern.count]), Double(window[lag]))
        windowEnergy = max(0, windowEnergy + new * new - old * old)
      }
    }
    guard let peak = values.indices.max(by: { values[$0] < values[$1] }), values[peak] > 0 else {
      return nil
    }
    return (Double(peak) + Self.vertex(values, at: peak), values[peak])
  }

  private func locate(
    _ pattern: [Float], _ start: Int, _ played: TimeLine, _ recording: [Float],
    _ recorded: TimeLine
  ) -> Segment? {
    let middle = Double(start + segmentFrames / 2)
    guard let playedStart = played.nanoseconds(at: Double(start)),
      let playedMiddle = played.nanoseconds(at: middle),
      let expected = recorded.position(at: playedStart)
    else { return nil }
    let first = max(0, Int(expected) - Self.marginFrames)
    let end = first + Self.marginFrames + searchFrames + segmentFrames
    guard end <= recording.count else { return nil }
    let window = Array(recording[first..<end])
    guard let best = bestLag(of: pattern, in: window),
      let heard = recorded.nanoseconds(
        at: Double(first) + best.lag + Double(segmentFrames / 2))
    else {
      return Segment(
        playedNanoseconds: playedStart, latencyMilliseconds: .nan, correlation: 0,
        blockCorrelations: blockCorrelations(pattern, [], 0), isSteady: false)
    }
    let latency = heard - playedMiddle
    return Segment(
      playedNanoseconds: playedStart, latencyMilliseconds: latency / 1e6,
      correlation: best.correlation,
      blockCorrelations: blockCorrelations(pattern, window, Int(best.lag.rounded())),
      isSteady: best.correlation >= threshold
        && isSteady(played, recorded, from: playedStart, lasting: latency))
  }

  private func isSteady(
    _ played: TimeLine, _ recorded: TimeLine, from start: Double, lasting latency: Double
  ) -> Bool {
    let end = start + Double(segmentFrames) * 1e9 / sampleRate + latency
    return [played, recorded].allSatisfy {
      $0.isSteady(from: start, to: end, toleranceNanoseconds: 300_000)
    }
  }

  private func blockCorrelations(_ pattern: [Float], _ window: [Float], _ lag: Int) -> [Double] {
    let block = Int(sampleRate / 20)
    let slip = Int(sampleRate * 0.003)
    let loudness = Sound.rootMeanSquare(pattern)
    var correlations: [Double] = []
    for start in stride(from: 0, to: pattern.count - block + 1, by: block) {
      let piece = Array(pattern[start..<start + block])
      guard Sound.rootMeanSquare(piece) > loudness / 2 else { continue }
      let from = max(0, start + lag - slip)
      let to = min(window.count, start + lag + block + slip)
      correlations.append(
        to - from >= block ? Self.bestCorrelation(of: piece, in: Array(window[from..<to])) : 0)
    }
    return correlations
  }

  /// The correlation where a block fits best, tried shift by shift; below 0 counts as 0.
  private static func bestCorrelation(of block: [Float], in window: [Float]) -> Double {
    let blockEnergy = block.reduce(0.0) { $0 + Double($1) * Double($1) }
    var best = 0.0
    for lag in 0...(window.count - block.count) {
      var (product, energy) = (Float(0), Float(0))
      for index in block.indices {
        product += block[index] * window[lag + index]
        energy += window[lag + index] * window[lag + index]
      }
      guard energy > 0 else { continue }
      best = max(best, Double(product) / (blockEnergy * Double(energy)).squareRoot())
    }
    return best
  }

  /// Where between its neighbours a parabola through a peak is highest, -0.5...0.5.
  private static func vertex(_ values: [Double], at peak: Int) -> Double {
    guard peak > 0, peak + 1 < values.count else { return 0 }
    let (left, centre, right) = (values[peak - 1], values[peak], values[peak + 1])
    let curvature = left - 2 * centre + right
    return curvature < 0 ? max(-0.5, min(0.5, (left - right) / (2 * curvature))) : 0
  }
}

extension Sequence<Correlator.Segment> {
  /// The share of all voiced blocks that correlate with their source beyond the threshold; 0 of none.
  public func understoodShare(beyond threshold: Double = 0.8) -> Double {
    let blocks = flatMap(\.blockCorrelations)
    guard !blocks.isEmpty else { return 0 }
    return Double(blocks.count { $0 > threshold }) / Double(blocks.count)
  }
}
