import TestRig

/// How one talker was heard: latency, and whether it was understood.
struct Hearing {
  /// A piece of 50 ms counts as understood from this correlation with its source on.
  static let threshold = 0.8
  /// The same for Opus' speech mode, whose SILK layer matches the spectrum rather than the waveform.
  static let speechModeThreshold = 0.5
  /// The share of pieces that must be understood.
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

  /// Several as one, judged by the threshold of the first.
  init(pooling hearings: [Hearing]) {
    segments = hearings.flatMap(\.segments)
    threshold = hearings.first?.threshold ?? Self.threshold
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

  /// Share of the voiced pieces of 50 ms that correlate with their source; 0 of none.
  var understoodShare: Double { segments.understoodShare(beyond: threshold) }

  /// Whether enough was understood, of enough speech to judge.
  var isIntelligible: Bool { segments.count >= 8 && understoodShare >= Self.neededShare }
}
