internal import CRealtime
import Glibc

/// Counters of the audio thread since the engine was made.
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

/// A meter reading, linear and in dBFS (0 dBFS: full scale, RMS of a square wave).
///
/// Reading changes nothing: any number of readers, each as often as it likes.
public struct MeterReading: Hashable, Sendable {
  /// The quietest level told, for silence too.
  public static let floorDBFS: Float = -127

  /// The highest absolute sample of the last quarter to half a second, linear; 1 is full scale.
  public var peak: Float
  /// The root of the mean square, linear; 1 is full scale.
  public var rms: Float

  /// Quarters of a second that were metered so far; wraps.
  public var sequence: UInt32

  /// A reading of linear levels.
  public init(peak: Float, rms: Float, sequence: UInt32 = 0) {
    self.peak = peak
    self.rms = rms
    self.sequence = sequence
  }

  init(_ meter: rt_meter) {
    self.init(peak: meter.peak, rms: meter.rms, sequence: meter.sequence)
  }

  /// The peak in dBFS, not below `floorDBFS`.
  public var peakDBFS: Float { Self.decibels(peak) }
  /// The RMS in dBFS, not below `floorDBFS`.
  public var rmsDBFS: Float { Self.decibels(rms) }

  private static func decibels(_ level: Float) -> Float {
    level > 0 ? max(20 * log10f(level), floorDBFS) : floorDBFS
  }
}
