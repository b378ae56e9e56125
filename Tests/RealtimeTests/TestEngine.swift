import CRealtime
import Testing

/// An engine driven period by period on its own buffers, as JACK would.
///
/// Unchecked: a test that uses it from two threads gives one the callback's part and the other the
/// loop's.
@safe final class TestEngine: @unchecked Sendable {
  /// One period's mix.
  struct Output {
    var left: [Float] = []
    var right: [Float] = []
  }

  let handle: OpaquePointer
  var periodFrames: Int
  var sampleRate: UInt32 = 48_000
  /// Shown in the next cycle's times and frame time.
  var cycleMark: UInt32 = 0
  /// When the next callback begins.
  var callbackNanoseconds: Int64 = 0
  private static let maximumFrames = 2 * Int(RT_MAX_PERIOD_FRAMES)
  private static let peerCount = Int(RT_MAX_PEERS)
  private let memory: UnsafeMutablePointer<Float>
  private let peerPorts: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>

  init(periodFrames: Int = 64, wakeDescriptor: Int32 = -1) throws {
    unsafe handle = try #require(unsafe rt_engine_create(wakeDescriptor))
    self.periodFrames = periodFrames
    let bufferCount = 3 + Self.peerCount
    unsafe memory = .allocate(capacity: bufferCount * Self.maximumFrames)
    unsafe memory.initialize(repeating: .nan, count: bufferCount * Self.maximumFrames)
    unsafe peerPorts = .allocate(capacity: Self.peerCount)
    for slot in 0..<Self.peerCount {
      unsafe (peerPorts + slot).initialize(to: memory + (3 + slot) * Self.maximumFrames)
    }
  }

  deinit {
    unsafe rt_engine_destroy(handle)
    unsafe peerPorts.deallocate()
    unsafe memory.deallocate()
  }

  var counters: rt_counters {
    var counters = rt_counters()
    unsafe rt_engine_counters(handle, &counters)
    return counters
  }

  /// The period published last, or `nil` while there is none.
  var cycle: rt_cycle? {
    var cycle = rt_cycle()
    return unsafe rt_engine_cycle(handle, &cycle) ? cycle : nil
  }

  /// Runs one period with this microphone level in every frame.
  @discardableResult func run(mic: Float = 0) -> Output {
    run(mic: [Float](repeating: mic, count: periodFrames))
  }

  /// Runs one period; `mic` has `periodFrames` frames.
  @discardableResult func run(mic: [Float]) -> Output {
    let left = unsafe memory + Self.maximumFrames
    let right = unsafe memory + 2 * Self.maximumFrames
    for (index, frame) in mic.enumerated() { unsafe memory[index] = frame }
    var cycle = rt_cycle()
    cycle.start_nanoseconds = Int64(cycleMark)
    cycle.next_nanoseconds = Int64(cycleMark)
    cycle.callback_nanoseconds = callbackNanoseconds
    cycle.frame_time = cycleMark
    cycle.period_frames = UInt32(periodFrames)
    cycle.sample_rate = sampleRate
    unsafe rt_engine_process(handle, memory, left, right, peerPorts, &cycle)
    return unsafe Output(
      left: Array(UnsafeBufferPointer(start: left, count: periodFrames)),
      right: Array(UnsafeBufferPointer(start: right, count: periodFrames)))
  }

  /// Runs several periods and joins what they played.
  @discardableResult func run(periods: Int, mic: Float = 0) -> Output {
    var all = Output()
    for _ in 0..<periods {
      let output = run(mic: mic)
      all.left += output.left
      all.right += output.right
    }
    return all
  }

  /// What the slot's own port got in the last period.
  func port(_ slot: rt_slot) -> [Float] {
    unsafe Array(
      UnsafeBufferPointer(
        start: memory + (3 + Int(slot)) * Self.maximumFrames, count: periodFrames))
  }

  /// The number of frames that fitted.
  @discardableResult func write(_ frames: [Float], to slot: rt_slot) -> Int {
    unsafe Int(rt_peer_write(handle, slot, frames, UInt32(frames.count)))
  }

  /// Attaches a slot that is being heard: `level` in every frame, its fade-in over.
  func sound(_ slot: rt_slot, level: Float) {
    #expect(unsafe rt_peer_attach(handle, slot) == 0)
    unsafe rt_peer_set_playing(handle, slot, true)
    let periods = (fadeInFrames + periodFrames - 1) / periodFrames
    write([Float](repeating: level, count: periods * periodFrames), to: slot)
    run(periods: periods)
  }

  /// Up to `count` frames of the capture ring.
  func capture(_ count: Int) -> [Float] {
    unsafe [Float](unsafeUninitializedCapacity: count) { frames, taken in
      guard let start = frames.baseAddress else { return }
      taken = unsafe Int(rt_capture_read(handle, start, UInt32(count)))
    }
  }
}
