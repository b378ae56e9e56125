internal import CRealtime

/// The real-time side as Swift sees it: capture ring, peers' rings, mix, meters and the JACK client behind them.
///
/// The audio thread itself runs only CRealtime's C code. Calls marked [loop] belong to the event-loop thread (one
/// reader and one writer of the rings), those marked [any] to any thread; none of them allocates, locks or blocks. What
/// blocks (JACK itself) is internal and called by `JackSession` on its own thread.
///
/// Unchecked because the compiler cannot see it: the handle never changes, all state it leads to is shared through
/// CRealtime's rings, sequence lock and atomics, and ARC frees it after the last holder let go.
@safe public final class AudioEngine: @unchecked Sendable {
  let handle: OpaquePointer

  /// Allocates, touches and locks all memory the audio will ever need. [any]
  ///
  /// - Parameters:
  ///   - wakeDescriptor: an eventfd the callback writes 8 bytes to; stays the caller's and must outlive the engine.
  ///   - isForPlugin: whether the plugin in jackd is to play this engine (`JackSessionConfiguration.pluginPath`), instead
  ///     of a JACK client of its own.
  /// - Throws: `AudioError.outOfMemory`.
  public init(wakeDescriptor: Int32, isForPlugin: Bool = false) throws(AudioError) {
    let created =
      unsafe isForPlugin
      ? rt_engine_create_shared(wakeDescriptor) : rt_engine_create(wakeDescriptor)
    guard let handle = unsafe created else {
      throw .outOfMemory(wanted: "the audio rings of \(PeerSlot.count) peers and a descriptor")
    }
    unsafe self.handle = unsafe handle
  }

  deinit {
    unsafe rt_engine_destroy(handle)
  }

  // MARK: Time

  /// The period run last; nil before the first. [any]
  public func periodTime() -> PeriodTime? {
    var cycle = rt_cycle()
    return unsafe rt_engine_cycle(handle, &cycle) ? PeriodTime(cycle) : nil
  }

  // MARK: Microphone

  /// Frames waiting in the capture ring, at JACK's rate. [loop]
  public var captureAvailableFrames: Int {
    unsafe Int(rt_capture_available(handle))
  }

  /// Takes the oldest captured frames. [loop]
  ///
  /// - Parameter pcm: filled from its start on, as far as frames are there.
  /// - Returns: the frames taken.
  public func readCapture(into pcm: inout MutableSpan<Float>) -> Int {
    unsafe pcm.withUnsafeMutableBufferPointer { pcm in
      guard let base = pcm.baseAddress else { return 0 }
      return unsafe Int(rt_capture_read(handle, base, UInt32(clamping: pcm.count)))
    }
  }

  /// Opens or closes the mic gate, with a ramp; closed at first, and then silence is captured. [any]
  public func setTalking(_ isTalking: Bool) {
    unsafe rt_set_talk(handle, isTalking)
  }

  /// Lets the callback wake the loop only when that many frames are captured; 0: every period. [loop]
  public func setWakeThreshold(frames: Int) {
    unsafe rt_set_wake_threshold(handle, UInt32(clamping: frames))
  }

  /// When the callback last woke the loop (CLOCK_MONOTONIC nanoseconds); nil when that was taken before. [loop]
  public func takeWakeNanoseconds() -> Int64? {
    let nanoseconds = unsafe rt_take_wake_nanoseconds(handle)
    return nanoseconds == 0 ? nil : nanoseconds
  }

  // MARK: Meters and counters

  /// The mic's level after the gate; restarts the meter. [any]
  public func takeMicMeter() -> MeterReading {
    unsafe MeterReading(rt_take_mic_meter(handle))
  }

  /// The level of both sides of the mix after the limiter; restarts the meter. [any]
  public func takeMixMeter() -> MeterReading {
    unsafe MeterReading(rt_take_mix_meter(handle))
  }

  /// All counters, each read on its own. [any]
  public var counters: EngineCounters {
    var counters = rt_counters()
    unsafe rt_engine_counters(handle, &counters)
    return EngineCounters(counters)
  }

  /// Restarts `EngineCounters.callbackMaximumNanoseconds`. [any]
  public func resetCallbackMaximum() {
    unsafe rt_reset_callback_max(handle)
  }

  // MARK: Without JACK

  /// Runs one period exactly as the process callback does; for tests and benchmarks, while no JACK client is open.
  ///
  /// All three spans hold `time.periodFrames` frames; anything else is a `precondition` failure.
  public func process(
    mic: Span<Float>, mixLeft: inout MutableSpan<Float>, mixRight: inout MutableSpan<Float>,
    time: PeriodTime
  ) {
    precondition(
      mic.count == time.periodFrames && mixLeft.count == time.periodFrames
        && mixRight.count == time.periodFrames && time.periodFrames <= Int(RT_MAX_PERIOD_FRAMES),
      "spans of one period")
    var cycle = time.cycle
    unsafe mic.withUnsafeBufferPointer { mic in
      unsafe mixLeft.withUnsafeMutableBufferPointer { left in
        unsafe mixRight.withUnsafeMutableBufferPointer { right in
          unsafe rt_engine_process(
            handle, mic.baseAddress, left.baseAddress, right.baseAddress, nil, &cycle)
        }
      }
    }
  }
}
