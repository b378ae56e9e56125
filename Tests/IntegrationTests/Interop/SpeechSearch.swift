import Glibc

@testable import TestRig

/// Finds speech again in a recording whose clock nobody knows, segment after segment.
struct SpeechSearch {
  private static let sampleRate = 48_000
  private static let segmentFrames = sampleRate / 4
  /// How much the recording may jump from one segment to the next: late cycles, filled pauses.
  private static let slackFrames = sampleRate / 10
  private static let threshold = 0.8

  /// Voiced segments of the source, and those of them that were found.
  private(set) var segments = 0
  private(set) var found = 0
  /// Level of the found segments in the recording against the source, dB.
  var gainDecibels: Float { 10 * log10(recordedEnergy / sourceEnergy) }

  private var sourceEnergy: Float = 0
  private var recordedEnergy: Float = 0
  private let correlator = Correlator(
    sampleRate: Double(sampleRate), maximumLatencySeconds: 1)

  /// Searches for all of `source`, both mono at 48 kHz.
  init(for source: [Float], in recording: [Float]) {
    let loudness = Sound.rootMeanSquare(source)
    var lag: Int?
    for start in stride(from: 0, to: source.count - Self.segmentFrames, by: Self.segmentFrames) {
      let pattern = Array(source[start..<start + Self.segmentFrames])
      guard Sound.rootMeanSquare(pattern) > loudness / 2 else { continue }
      segments += 1
      let place =
        lag.flatMap { near($0 + start, pattern, recording) } ?? anywhere(pattern, recording)
      guard let place else { continue }
      lag = place - start
      found += 1
      add(pattern, recording[place..<place + Self.segmentFrames])
    }
  }

  private func near(_ expected: Int, _ pattern: [Float], _ recording: [Float]) -> Int? {
    let first = max(0, expected - Self.slackFrames)
    let end = min(recording.count, expected + Self.segmentFrames + Self.slackFrames)
    guard end - first > Self.segmentFrames else { return nil }
    return place(of: pattern, in: recording, first..<end)
  }

  private func anywhere(_ pattern: [Float], _ recording: [Float]) -> Int? {
    for first in stride(from: 0, to: recording.count - Self.segmentFrames, by: Self.sampleRate) {
      let end = min(recording.count, first + Self.segmentFrames + Self.sampleRate)
      if let place = place(of: pattern, in: recording, first..<end) { return place }
    }
    return nil
  }

  private func place(of pattern: [Float], in recording: [Float], _ range: Range<Int>) -> Int? {
    guard let best = correlator.bestLag(of: pattern, in: Array(recording[range])),
      best.correlation >= Self.threshold
    else { return nil }
    return min(range.lowerBound + Int(best.lag.rounded()), recording.count - pattern.count)
  }

  private mutating func add(_ pattern: [Float], _ heard: ArraySlice<Float>) {
    sourceEnergy += pattern.reduce(0) { $0 + $1 * $1 }
    recordedEnergy += heard.reduce(0) { $0 + $1 * $1 }
  }
}
