import Glibc
import Measurement

/// How long sound takes to a peer and back.
public struct LoopMeasurement: Sendable, Hashable {
  /// Sweeps that were sent, and how many of them were found in what came back.
  public var sent, found: Int
  /// From the microphone's port to the ear's, there and back: the middle one, the least and the most;
  /// nil: none was found.
  public var roundTrip: (median: Double, least: Double, most: Double)? {
    let sorted = milliseconds.sorted()
    guard let least = sorted.first, let most = sorted.last else { return nil }
    return (sorted[sorted.count / 2], least, most)
  }
  /// How much quieter (below 0) or louder they came back.
  public var levelDecibels: Double?
  /// Of the network alone, there and back, from the reports.
  public var networkMilliseconds: Double?
  /// How long the peer's packets wait here before they are heard.
  public var playoutMilliseconds: Double?
  /// Of each that was found.
  var milliseconds: [Double]
}

/// Sweeps in a row, and their search in what came back.
struct LoopProbe: Sendable {
  private static let sweepCount = 8
  /// From one to the next, which is also the longest echo that is found, less the sweep itself.
  private static let intervalSeconds = 0.8
  /// For what is sent in the microphone's place to begin.
  private static let leadSeconds = 0.2
  private static let peak: Float = 0.1

  private let sampleRate: Int
  private let sweep: [Float]
  /// What is to be sent; it ends in silence.
  let signal: [Float]

  init(sampleRate: Int) {
    self.sampleRate = sampleRate
    sweep = Sweep(sampleRate: sampleRate, amplitude: Self.peak).frames
    let seconds = Self.leadSeconds + Double(Self.sweepCount) * Self.intervalSeconds
    var signal = [Float](repeating: 0, count: Int(seconds * Double(sampleRate)))
    for number in 0..<Self.sweepCount {
      let start = Self.start(of: number, sampleRate)
      for (index, value) in sweep.enumerated() { signal[start + index] = value }
    }
    self.signal = signal
  }

  /// Looks for each sweep between its own moment and the next one's.
  func measure(_ echo: Echo) -> LoopMeasurement {
    let search = PatternSearch(for: sweep, sampleRate: sampleRate, band: Sweep.band)
    let matches = (0..<Self.sweepCount).compactMap { number in
      let range = Self.start(of: number, sampleRate)..<Self.start(of: number + 1, sampleRate)
      return search.best(in: Array(echo.record[range.clamped(to: echo.record.indices)]))
    }
    let gains = matches.map(\.gain).sorted()
    return LoopMeasurement(
      sent: Self.sweepCount, found: matches.count,
      levelDecibels: gains.isEmpty ? nil : 20 * log10(gains[gains.count / 2]),
      networkMilliseconds: echo.networkMilliseconds, playoutMilliseconds: echo.playoutMilliseconds,
      milliseconds: matches.map { $0.lagFrames * 1000 / Double(sampleRate) })
  }

  private static func start(of number: Int, _ sampleRate: Int) -> Int {
    Int((leadSeconds + Double(number) * intervalSeconds) * Double(sampleRate))
  }
}
