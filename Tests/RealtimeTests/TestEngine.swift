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
  private static let outputCount = Int(RT_MAX_OUTPUTS)
  private let memory: UnsafeMutablePointer<Float>
  private let outputPorts: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  private let inputMemory: UnsafeMutablePointer<Float>
  private let inputPorts: UnsafeMutablePointer<UnsafePointer<Float>?>

  init(periodFrames: Int = 64, wakeDescriptor: Int32 = -1) throws {
    unsafe handle = try #require(unsafe rt_engine_create(wakeDescriptor))
    self.periodFrames = periodFrames
    let bufferCount = 3 + Self.outputCount
    unsafe memory = .allocate(capacity: bufferCount * Self.maximumFrames)
    unsafe memory.initialize(repeating: .nan, count: bufferCount * Self.maximumFrames)
    let inputCount = Int(RT_MAX_INPUTS)
    unsafe inputMemory = .allocate(capacity: inputCount * Self.maximumFrames)
    unsafe inputMemory.initialize(repeating: .nan, count: inputCount * Self.maximumFrames)
    unsafe inputPorts = .allocate(capacity: inputCount)
    for input in 0..<inputCount {
      unsafe (inputPorts + input).initialize(to: inputMemory + input * Self.maximumFrames)
    }
    unsafe outputPorts = .allocate(capacity: Self.outputCount)
    for slot in 0..<Self.outputCount {
      unsafe (outputPorts + slot).initialize(to: memory + (3 + slot) * Self.maximumFrames)
    }
  }

  deinit {
    unsafe rt_engine_destroy(handle)
    unsafe inputPorts.deallocate()
    unsafe inputMemory.deallocate()
    unsafe outputPorts.deallocate()
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

  /// Runs one period; `mic` has `periodFrames` frames, and so has each of the inputs.
  @discardableResult func run(mic: [Float], inputs: [[Float]] = []) -> Output {
    for (index, input) in inputs.enumerated() {
      let start = unsafe inputMemory + index * Self.maximumFrames
      for (frame, sample) in input.enumerated() { unsafe start[frame] = sample }
    }
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
    unsafe rt_engine_process(handle, memory, inputPorts, left, right, outputPorts, &cycle)
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

  /// What the bus' port got in the last period.
  func port(ofBus bus: rt_bus) -> [Float] { port(rt_slot(RT_MAX_PEERS) + bus) }

  /// Up to `count` frames of a bus' ring, interleaved.
  func take(_ count: Int, of bus: rt_bus, channels: Int) -> [Float] {
    unsafe [Float](unsafeUninitializedCapacity: count * channels) { samples, taken in
      guard let start = samples.baseAddress else { return }
      taken = unsafe Int(rt_bus_read(handle, bus, start, UInt32(count))) * channels
    }
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

  /// What the microphone heard in up to `count` frames of the capture ring.
  func capture(_ count: Int) -> [Float] { captureChannels(count)[0] }

  /// Up to `count` frames of the capture ring, channel by channel.
  func captureChannels(_ count: Int) -> [[Float]] {
    let channels = unsafe Int(rt_capture_channels(handle))
    let samples = unsafe [Float](unsafeUninitializedCapacity: count * channels) { samples, taken in
      guard let start = samples.baseAddress else { return }
      taken = unsafe Int(rt_capture_read(handle, start, UInt32(count))) * channels
    }
    return (0..<channels).map { channel in
      stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
    }
  }
}
