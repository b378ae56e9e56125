internal import CRealtime

/// What the audio thread counted since the engine was made.
public struct EngineCounters: Hashable, Sendable {
  /// Process callbacks run.
  public var callbacks: UInt64
  /// Xruns of the JACK server's driver: cycles that began too late.
  public var xruns: UInt64
  /// Captured frames dropped because the loop had not read the ring.
  public var captureOverrunFrames: UInt64
  /// Times the callback woke the loop.
  public var wakes: UInt64
  /// Time spent in all callbacks.
  public var callbackTotalNanoseconds: UInt64
  /// The longest callback since `AudioEngine.resetCallbackMaximum()`.
  public var callbackMaximumNanoseconds: UInt64
  /// Changes of JACK's period.
  public var periodChanges: UInt64
  /// Changes of JACK's sample rate.
  public var rateChanges: UInt64
  /// Periods that the server ran without us, as a callback ended too late.
  public var missedPeriods: UInt64
  /// Periods longer than the engine takes (8192 frames): silence was played.
  public var refusedPeriods: UInt64
  /// Ring fills seen below zero or above the size; any is a defect.
  public var ringErrors: UInt64

  init(_ counters: rt_counters) {
    callbacks = counters.callbacks
    xruns = counters.xruns
    captureOverrunFrames = counters.capture_overruns
    wakes = counters.wakes
    callbackTotalNanoseconds = counters.callback_total_nanoseconds
    callbackMaximumNanoseconds = counters.callback_max_nanoseconds
    periodChanges = counters.period_changes
    rateChanges = counters.rate_changes
    missedPeriods = counters.missed_periods
    refusedPeriods = counters.refused_periods
    ringErrors = counters.ring_errors
  }

  /// The mean callback in nanoseconds; 0 before the first.
  public var callbackMeanNanoseconds: UInt64 {
    callbacks == 0 ? 0 : callbackTotalNanoseconds / callbacks
  }
}
