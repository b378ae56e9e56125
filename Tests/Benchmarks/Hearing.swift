import TestRig

/// How one talker was heard: latency, and whether it was understood.
struct Hearing {
  /// A segment counts as understood from this correlation with its source on.
  static let threshold = 0.8
  /// The same for Opus' speech mode, whose SILK layer matches the spectrum rather than the waveform.
  static let speechModeThreshold = 0.5
  /// The share of segments that must be understood.
  static let neededShare = 0.85

  let segments: [Correlator.Segment]
  private let threshold: Double

  /// Compares what a mouth played with what an ear recorded on one input.
  init(
    of speech: [Float], from mouth: Probe, at ear: Probe, input: Int,
    threshold: Double = Hearing.threshold
  ) {
    self.threshold = threshold
    segments = Correlator(sampleRate: ear.sampleRate).measure(
      source: speech, played: mouth.playedTimeLine, recording: ear.recording(input),
      recorded: ear.recordedTimeLine, skippingSeconds: 0.5)
  }

  /// Port to port, milliseconds, of the segments during which no JACK cycle was late.
  var steadyLatency: Distribution {
    Distribution(segments.filter(\.isSteady).map(\.latencyMilliseconds))
  }

  /// Port to port, milliseconds, of all segments that were found.
  var foundLatency: Distribution {
    Distribution(
      segments.filter { $0.correlation >= threshold }.map(\.latencyMilliseconds))
  }

  /// Share of the segments that correlate with their source after alignment; 0 of none.
  var understoodShare: Double {
    guard !segments.isEmpty else { return 0 }
    return Double(segments.count { $0.alignedCorrelation > threshold })
      / Double(segments.count)
  }

  /// Whether enough was understood, of enough speech to judge.
  var isIntelligible: Bool { segments.count >= 8 && understoodShare >= Self.neededShare }
}
