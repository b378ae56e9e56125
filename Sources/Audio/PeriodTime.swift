internal import CRealtime

/// The JACK period the audio thread ran last; times are CLOCK_MONOTONIC nanoseconds.
public struct PeriodTime: Hashable, Sendable {
  /// Periods since the audio started, this one and missed ones included.
  public var count: UInt64
  /// When this period began, by JACK's filter, which may be off by periods for seconds after an xrun.
  public var startNanoseconds: Int64
  /// When the next one is expected to begin.
  public var nextNanoseconds: Int64
  /// When the callback really ran.
  public var callbackNanoseconds: Int64
  /// JACK's frame counter at the period's first frame; wraps.
  public var frameTime: UInt32
  /// Frames of one process callback.
  public var periodFrames: Int
  /// JACK's sample rate in hertz.
  public var sampleRate: Int

  /// One period; for tests and for running the mix without JACK.
  public init(
    count: UInt64, startNanoseconds: Int64, nextNanoseconds: Int64, callbackNanoseconds: Int64,
    frameTime: UInt32, periodFrames: Int, sampleRate: Int
  ) {
    self.count = count
    self.startNanoseconds = startNanoseconds
    self.nextNanoseconds = nextNanoseconds
    self.callbackNanoseconds = callbackNanoseconds
    self.frameTime = frameTime
    self.periodFrames = periodFrames
    self.sampleRate = sampleRate
  }

  /// Sample rates in hertz of the servers that the session takes.
  package static let rates = UInt32(RT_MIN_SAMPLE_RATE)...UInt32(RT_MAX_SAMPLE_RATE)
  /// Counts of a server that runs for a century: beyond them the figures are no JACK server's.
  private static let mostPeriods: UInt64 = 1 << 48

  /// What the callback told; nil where it cannot be, as from a plugin whose memory was written over.
  init?(_ cycle: rt_cycle) {
    guard Self.rates.contains(cycle.sample_rate), cycle.count < Self.mostPeriods,
      (1...UInt32(RT_MAX_PERIOD_FRAMES)).contains(cycle.period_frames)
    else { return nil }
    self.init(
      count: cycle.count, startNanoseconds: cycle.start_nanoseconds,
      nextNanoseconds: cycle.next_nanoseconds,
      callbackNanoseconds: cycle.callback_nanoseconds, frameTime: cycle.frame_time,
      periodFrames: Int(cycle.period_frames), sampleRate: Int(cycle.sample_rate))
  }

  /// The same as CRealtime takes it.
  var cycle: rt_cycle {
    rt_cycle(
      count: count, start_nanoseconds: startNanoseconds, next_nanoseconds: nextNanoseconds,
      callback_nanoseconds: callbackNanoseconds,
      frame_time: frameTime, period_frames: UInt32(clamping: periodFrames),
      sample_rate: UInt32(clamping: sampleRate))
  }
}
