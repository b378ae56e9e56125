import Audio

/// Peaks and worst times: the audio thread keeps each since it was taken last, and only the station takes them.
struct StationMaxima {
  /// The longest callback since the start, nanoseconds.
  private(set) var callbackNanoseconds = 0.0
  /// The same of the last minute.
  private(set) var recentCallbacks = RecentMaximum(parts: 6, partNanoseconds: 10_000_000_000)
  /// The microphone's peak of the last second, linear.
  private(set) var micPeaks = RecentMaximum(parts: 4, partNanoseconds: 250_000_000)

  /// Takes what came since the last time; before each status, and once a second.
  mutating func take(from engine: AudioEngine, nowNanoseconds: Int64) {
    let longest = Double(engine.counters.callbackMaximumNanoseconds)
    engine.resetCallbackMaximum()
    callbackNanoseconds = max(callbackNanoseconds, longest)
    recentCallbacks.add(longest, nowNanoseconds: nowNanoseconds)
    micPeaks.add(Double(engine.takeMicMeter().peak), nowNanoseconds: nowNanoseconds)
  }
}
