internal import CRealtime

/// The real-time side as Swift sees it: capture ring, peers' rings, mix, meters and the JACK client behind them.
///
/// The audio thread itself runs only CRealtime's C code. Calls marked [loop] belong to the event-loop thread (one
/// reader and one writer of the rings), those marked [any] to any thread; none of them allocates, locks or blocks. What
/// blocks (JACK itself) is called by `JackSession` on its own thread.
///
/// Unchecked because the compiler cannot see it: the handle never changes, all state it leads to is shared through
/// CRealtime's rings, sequence lock and atomics, and ARC frees it after the last holder let go.
@safe public final class AudioEngine: @unchecked Sendable {
  /// CRealtime's engine.
  package let handle: OpaquePointer

  /// Allocates, touches and locks all memory the audio will ever need. [any]
  ///
  /// - Parameters:
  ///   - wakeDescriptor: an eventfd the callback writes 8 bytes to; stays the caller's and must outlive the engine.
  ///   - isForPlugin: whether the plugin in jackd is to play this engine (`JackSessionConfiguration.pluginPath`),
  ///     instead of a JACK client of its own.
  ///   - inputs: ports of further inputs, a channel of a captured frame each; at most ``mostInputs``.
  /// - Throws: `AudioError.outOfMemory`, or `AudioError.badPort`.
  public init(
    wakeDescriptor: Int32, isForPlugin: Bool = false, inputs: [String] = []
  ) throws(AudioError) {
    let created =
      unsafe isForPlugin
      ? rt_engine_create_shared(wakeDescriptor) : rt_engine_create(wakeDescriptor)
    guard let handle = unsafe created else {
      throw .outOfMemory(wanted: "the audio rings of \(PeerSlot.count) peers and a descriptor")
    }
    unsafe self.handle = unsafe handle
    for name in inputs {
      guard unsafe rt_input_add(handle, name) >= 0 else { throw .badPort(name) }
    }
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

  // MARK: Capture

  /// Which sample of a captured frame is whose; after these come further inputs, and last what the mix plays, left and
  /// right, without the sidetone.
  public enum CaptureChannel {
    /// The microphone, before any gate.
    public static let microphone = Int(RT_CAPTURE_MICROPHONE)
    /// What is sent in its place, for tests of a station; silent as a rule.
    public static let insert = Int(RT_CAPTURE_INSERT)
    /// The first of further inputs.
    public static let inputs = Int(RT_CAPTURE_INPUTS)
  }

  /// The most ports that further inputs may have.
  public static let mostInputs = Int(RT_MAX_INPUTS)

  /// Samples of a captured frame. [any]
  public var captureChannels: Int { unsafe Int(rt_capture_channels(handle)) }

  /// Frames waiting in the capture ring, at JACK's rate. [loop]
  public var captureAvailableFrames: Int {
    unsafe Int(rt_capture_available(handle))
  }

  /// Takes the oldest captured frames. [loop]
  ///
  /// - Parameters:
  ///   - samples: filled from its start on, frame after frame, as far as frames are there and have room.
  ///   - frames: the most that are wanted.
  /// - Returns: the frames taken.
  public func readCapture(into samples: inout MutableSpan<Float>, frames: Int = .max) -> Int {
    let frames = min(frames, samples.count / captureChannels)
    return unsafe samples.withUnsafeMutableBufferPointer { samples in
      guard let base = samples.baseAddress else { return 0 }
      return unsafe Int(rt_capture_read(handle, base, UInt32(clamping: frames)))
    }
  }

  /// Throws all captured frames away. [loop]
  public func discardCapture() {
    while unsafe rt_capture_skip(handle, UInt32(RT_CAPTURE_RING_SAMPLES)) > 0 {}
  }

  /// Frames that passed unheard before or among those read last, as JACK or what the microphone comes through stood
  /// still. [loop]
  ///
  /// - Returns: 0 as a rule, and once they were taken.
  public func takeCaptureHole() -> Int {
    unsafe Int(rt_capture_take_hole(handle))
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

  /// The mic's level, before any gate. [any]
  public var micMeter: MeterReading {
    unsafe MeterReading(rt_mic_meter(handle))
  }

  /// The level of both sides of the mix after the limiter. [any]
  public var mixMeter: MeterReading {
    unsafe MeterReading(rt_bus_meter(handle, Int32(RT_MAIN_BUS)))
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
    mic: Span<Float>, inputs: [[Float]] = [], mixLeft: inout MutableSpan<Float>,
    mixRight: inout MutableSpan<Float>, time: PeriodTime
  ) {
    precondition(
      mic.count == time.periodFrames && mixLeft.count == time.periodFrames
        && mixRight.count == time.periodFrames && time.periodFrames <= Int(RT_MAX_PERIOD_FRAMES),
      "spans of one period")
    precondition(
      inputs.isEmpty
        || inputs.count == captureChannels - 4
          && inputs.allSatisfy { $0.count == time.periodFrames },
      "a period of each input")
    var cycle = time.cycle
    let flat = inputs.flatMap { $0 }
    unsafe flat.withUnsafeBufferPointer { flat in
      let pointers: [UnsafePointer<Float>?] = unsafe inputs.indices.map { index in
        unsafe flat.baseAddress.map { base in unsafe base + index * time.periodFrames }
      }
      unsafe pointers.withUnsafeBufferPointer { inputs in
        unsafe mic.withUnsafeBufferPointer { mic in
          unsafe mixLeft.withUnsafeMutableBufferPointer { left in
            unsafe mixRight.withUnsafeMutableBufferPointer { right in
              unsafe rt_engine_process(
                handle, mic.baseAddress, inputs.isEmpty ? nil : inputs.baseAddress,
                left.baseAddress, right.baseAddress, nil, &cycle)
            }
          }
        }
      }
    }
  }
}

/// What is sent in the microphone's place, for tests of a station: ``CaptureChannel/insert``.
extension AudioEngine {
  /// Frames of the signal that the ring holds at most.
  public static let signalCapacityFrames = Int(RT_SIGNAL_RING_FRAMES)

  /// Inserts nothing, as at first; faded. [loop]
  public func captureMicrophone() {
    _ = unsafe rt_set_source(handle, RT_SOURCE_MICROPHONE, 0)
  }

  /// Inserts what a slot's peer sent, as it is heard but for its gain; faded. [loop]
  public func captureSound(of slot: PeerSlot) {
    _ = unsafe rt_set_source(handle, RT_SOURCE_PEER, slot.number)
  }

  /// Inserts a signal, and records what a slot's peer sends beside it; faded. [loop]
  ///
  /// Its beginning is to be written at once, and it is to be kept from running dry.
  /// - Returns: false while the last signal has not faded out yet.
  public func captureSignal(recording slot: PeerSlot) -> Bool {
    unsafe rt_set_source(handle, RT_SOURCE_SIGNAL, slot.number) == 0
  }

  /// Adds frames, at JACK's rate, to the signal; returns how many fitted. [loop]
  public func writeSignal(_ pcm: Span<Float>) -> Int {
    unsafe pcm.withUnsafeBufferPointer { pcm in
      guard let base = pcm.baseAddress else { return 0 }
      return unsafe Int(rt_signal_write(handle, base, UInt32(clamping: pcm.count)))
    }
  }

  /// Takes frames of the record, of which there is one for each of the signal; returns how many. [loop]
  public func readRecord(into pcm: inout MutableSpan<Float>) -> Int {
    unsafe pcm.withUnsafeMutableBufferPointer { pcm in
      guard let base = pcm.baseAddress else { return 0 }
      return unsafe Int(rt_record_read(handle, base, UInt32(clamping: pcm.count)))
    }
  }

  /// Frames by which signal and record lost step since the signal began; 0 as a rule. [loop]
  public var lostSignalFrames: Int { unsafe Int(clamping: rt_signal_lost(handle)) }
}

/// The peers' rings and their places in the mix.
extension AudioEngine {
  /// Frames that a slot's ring holds.
  public static let peerCapacityFrames = Int(RT_PEER_RING_FRAMES)

  /// Empties the slot's ring and lets it sound, faded in. [loop]
  ///
  /// - Returns: false while it is attached, or still fading out from its last use.
  public func attach(_ slot: PeerSlot) -> Bool {
    unsafe rt_peer_attach(handle, slot.number) == 0
  }

  /// Fades the slot out; `isIdle(_:)` tells when it may be attached anew. [loop]
  public func detach(_ slot: PeerSlot) {
    unsafe rt_peer_detach(handle, slot.number)
  }

  /// Whether the slot has faded out and may be attached. [loop]
  public func isIdle(_ slot: PeerSlot) -> Bool {
    unsafe rt_peer_is_idle(handle, slot.number)
  }

  /// Adds decoded frames, at JACK's rate, to the slot's ring. [loop]
  ///
  /// - Returns: how many of them fitted.
  public func write(_ pcm: Span<Float>, to slot: PeerSlot) -> Int {
    unsafe pcm.withUnsafeBufferPointer { pcm in
      guard let base = pcm.baseAddress else { return 0 }
      return unsafe Int(rt_peer_write(handle, slot.number, base, UInt32(clamping: pcm.count)))
    }
  }

  /// Gives the slot a second channel until it is attached anew: the side, whose mean is the one it has. [loop]
  ///
  /// On stereo buses left is mean + side and right mean − side, elsewhere there is the mean.
  /// - Returns: false while ``mostStereoSlots`` have one.
  public func addSide(to slot: PeerSlot) -> Bool {
    unsafe rt_peer_add_side(handle, slot.number) == 0
  }

  /// Slots that can play two channels at once.
  public static let mostStereoSlots = Int(RT_MAX_STEREO_PEERS)

  /// Adds decoded frames of two channels, as ``write(_:to:)``; both spans are equally long. [loop]
  ///
  /// - Returns: how many of them fitted.
  public func write(_ mean: Span<Float>, side: Span<Float>, to slot: PeerSlot) -> Int {
    precondition(mean.count == side.count)
    return unsafe mean.withUnsafeBufferPointer { mean in
      unsafe side.withUnsafeBufferPointer { side in
        guard let mean = mean.baseAddress, let base = side.baseAddress else { return 0 }
        return unsafe Int(
          rt_peer_write_stereo(handle, slot.number, mean, base, UInt32(clamping: side.count)))
      }
    }
  }

  /// Frames waiting in the slot's ring. [loop]
  public func fillFrames(of slot: PeerSlot) -> Int {
    unsafe Int(rt_peer_fill(handle, slot.number))
  }

  /// Tells whether an empty ring is an underrun (true) or a pause (false). [loop]
  public func setPlaying(_ isPlaying: Bool, for slot: PeerSlot) {
    unsafe rt_peer_set_playing(handle, slot.number, isPlaying)
  }

  /// The most that a peer's sound is amplified by.
  public static let maximumGain = Float(RT_MAX_GAIN)

  /// Sets the linear gain in the mix, 0 … `maximumGain`, ramped. [any]
  public func setGain(_ gain: Float, for slot: PeerSlot) {
    unsafe rt_peer_set_gain(handle, slot.number, gain)
  }

  /// Sets the place between left (−1) and right (1), equal power, ramped. [any]
  public func setPan(_ pan: Float, for slot: PeerSlot) {
    unsafe rt_peer_set_pan(handle, slot.number, pan)
  }

  /// The peer's level before its gain. [any]
  public func meter(of slot: PeerSlot) -> MeterReading {
    unsafe MeterReading(rt_peer_meter(handle, slot.number))
  }

  /// Frames of silence played because the slot's ring was empty while playing. [any]
  public func underrunFrames(of slot: PeerSlot) -> UInt64 {
    unsafe rt_peer_underrun_frames(handle, slot.number)
  }
}
