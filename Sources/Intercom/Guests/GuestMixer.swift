internal import Audio
internal import Glibc
internal import Synchronization
internal import System

/// Codes what guests hear: a thread of ordinary priority reads their buses and hands each guest its frames.
///
/// It wakes up when the period has been mixed that makes the next of them whole, as the callback's beat tells.
/// A guest that is handed a frame may be slow: whoever takes it drops what it cannot send. The media loop never waits
/// for this thread, which shares no lock with it.
final class GuestMixer: Sendable {
  /// It sleeps so long at most: less than a frame lasts.
  private static let longestNanoseconds: Int64 = 8_000_000

  private struct State {
    var outlets: [GuestOutlet] = []
    var thread: BlockingThread?
  }

  private let state = Mutex(State())

  /// Codes a guest's mix from now on; starts the thread if it does not run.
  ///
  /// Any thread but the loop.
  func add(_ outlet: GuestOutlet) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      state.outlets.append(outlet)
      guard state.thread == nil else { return }
      let thread = try BlockingThread(name: "comlink-guests") { [weak self] thread in
        while !thread.isStopping, let due = self?.mix() {
          thread.pause(nanoseconds: min(due - monotonicNanoseconds(), Self.longestNanoseconds))
        }
      }
      state.thread = thread
      try thread.start()
    }
  }

  /// Does so no more: on return its bus is not read again.
  ///
  /// Any thread but the loop; waits for a turn of the thread at most.
  func remove(_ outlet: GuestOutlet) {
    state.withLock { state in state.outlets.removeAll { $0 === outlet } }
  }

  /// One turn.
  ///
  /// - Returns: when the next is due, CLOCK_MONOTONIC; nil: there are no guests, and the thread ends.
  private func mix() -> Int64? {
    state.withLock { state in
      let now = monotonicNanoseconds()
      let due = state.outlets.map { $0.mix(nowNanoseconds: now) }.min()
      if due == nil { state.thread = nil }
      return due
    }
  }
}

/// One guest's mix on its way to the browser: its bus, resampled where JACK is not at 48 kHz, coded.
///
/// Unchecked because one thread at a time uses it, which holds the mixer's lock.
final class GuestOutlet: @unchecked Sendable {
  static let packetFrames = 480
  private static let bitsPerSecond = 64_000
  /// More than that waits after a stall: it is too old to be heard.
  private static let mostWaitingFrames = 4800
  /// So many silent frames, then it is said that nobody talks, and again each 400 ms.
  private static let (silentFrames, noticeFrames) = (20, 40)
  /// So long after its callback began a period is mixed.
  private static let mixingNanoseconds: Int64 = 200_000
  /// A callback that is late is waited for in steps of so much, then ever longer ones.
  private static let retryNanoseconds: Int64 = 500_000
  /// −90 dBFS.
  private static let silence: Float = 3e-5

  private let engine: AudioEngine
  private let bus: MixBus
  private let kind: GuestFrame.Kind
  private let encoder: OpusEncoder
  private let deliver: @Sendable ([UInt8]) -> Void
  /// Somebody who speaks to this guest alone.
  private let voice = Mutex<EarLink?>(nil)
  private var mixed = [Float](repeating: 0, count: packetFrames)
  private var spoken = [Float](repeating: 0, count: packetFrames)
  private var resampler: Resampler?
  private var sampleRate = 48_000
  private var read = [Float](repeating: 0, count: 1024)
  private var converted = [Float](repeating: 0, count: 1024 * 6 + 64)
  private var waiting: [Float] = []
  private var packet = [UInt8](repeating: 0, count: 1276)
  private var (sequence, timestamp): (UInt32, UInt32) = (0, 0)
  private var silentRun = 0

  init(
    _ engine: AudioEngine, bus: MixBus, kind: GuestFrame.Kind,
    deliver: @escaping @Sendable ([UInt8]) -> Void
  ) throws(AudioError) {
    (self.engine, self.bus, self.kind, self.deliver) = (engine, bus, kind, deliver)
    encoder = try OpusEncoder(
      application: .lowDelay, bitrateBitsPerSecond: Self.bitsPerSecond)
    waiting.reserveCapacity(16_384)
  }

  /// From now on it also hears what somebody says to it alone.
  ///
  /// Any thread but the loop.
  func say(_ link: EarLink) { voice.withLock { $0 = link } }

  /// No more, if it is still that one.
  ///
  /// Any thread but the loop.
  func end(_ link: EarLink) {
    voice.withLock { voice in
      if voice === link { voice = nil }
    }
  }

  /// Codes and delivers all that the bus has.
  ///
  /// - Returns: when there may be another frame.
  @discardableResult
  func mix(nowNanoseconds now: Int64 = monotonicNanoseconds()) -> Int64 {
    // Before the bus is read: a period that comes meanwhile makes it too soon, never too late.
    let period = engine.periodTime()
    followRate(period)
    while true {
      var span = read.mutableSpan
      let count = engine.readMono(bus, into: &span)
      guard count > 0 else { break }
      append(count)
    }
    if waiting.count > Self.mostWaitingFrames {
      let passed = (waiting.count - Self.packetFrames) / Self.packetFrames * Self.packetFrames
      waiting.removeFirst(passed)
      timestamp &+= UInt32(passed)
    }
    var start = 0
    while waiting.count - start >= Self.packetFrames {
      send(waiting.span.extracting(start..<(start + Self.packetFrames)))
      start += Self.packetFrames
    }
    waiting.removeFirst(start)
    let next = period.map { due(after: $0) } ?? 0
    return next > now ? next : now + max(Self.retryNanoseconds, now - next)
  }

  /// When the period has been mixed that makes the next frame whole.
  private func due(after period: PeriodTime) -> Int64 {
    let missing = (Self.packetFrames - waiting.count) * period.sampleRate
    let each = period.periodFrames * 48_000
    let frames = (missing + each - 1) / each * period.periodFrames
    return period.callbackNanoseconds + Int64(frames) * 1_000_000_000 / Int64(period.sampleRate)
      + Self.mixingNanoseconds
  }

  private func followRate(_ period: PeriodTime?) {
    guard let rate = period?.sampleRate, rate != sampleRate else { return }
    sampleRate = rate
    resampler = rate == 48_000 ? nil : try? Resampler(ratio: 48_000 / Double(rate))
  }

  private func append(_ count: Int) {
    guard let resampler else { return waiting.append(contentsOf: read[..<count]) }
    var start = 0
    while start < count {
      var output = converted.mutableSpan
      let step = resampler.process(read.span.extracting(start..<count), into: &output)
      waiting.append(contentsOf: converted[..<step.produced])
      start += step.consumed
      guard step.consumed > 0 || step.produced > 0 else { return }
    }
  }

  private func send(_ pcm: Span<Float>) {
    guard let link = voice.withLock({ $0 }) else { return code(pcm) }
    _ = link.ear.passUnwanted()
    let count = Self.read(link.ear, into: &spoken)
    link.ear.note(waitingFrames: 0)
    for index in pcm.indices {
      mixed[index] = max(-1, min(1, pcm[index] + (index < count ? spoken[index] : 0)))
    }
    let sum = mixed
    code(sum.span)
  }

  private static func read(_ queue: SoundQueue, into frames: inout [Float]) -> Int {
    var span = frames.mutableSpan
    return queue.read(into: &span)
  }

  private func code(_ pcm: Span<Float>) {
    defer {
      sequence &+= 1
      timestamp &+= UInt32(Self.packetFrames)
    }
    var peak: Float = 0
    for index in pcm.indices { peak = max(peak, abs(pcm[index])) }
    silentRun = peak < Self.silence ? silentRun + 1 : 0
    if silentRun > Self.silentFrames {
      guard (silentRun - Self.silentFrames) % Self.noticeFrames == 1 else {
        // Only what is sent has a number.
        sequence &-= 1
        return
      }
      return deliver(GuestFrame.silence(sequence: sequence, timestamp: timestamp))
    }
    switch kind {
    case .opus:
      var span = packet.mutableSpan
      var bytes = unsafe span.mutableBytes
      let count = encoder.encode(pcm, into: &bytes)
      guard count > 0 else { return }
      let frame = GuestFrame(
        kind: .opus, sequence: sequence, timestamp: timestamp, level: GuestFrame.level(of: peak))
      deliver(frame.header + packet[..<count])
    case .pcm:
      deliver(GuestFrame.samples(pcm, sequence: sequence, timestamp: timestamp))
    }
  }
}

extension GuestFrame {
  /// A message that says that nobody talks.
  public static func silence(sequence: UInt32, timestamp: UInt32) -> [UInt8] {
    // Table of contents alone: CELT, full band, 10 ms (RFC 6716 §3.1).
    GuestFrame(kind: .opus, sequence: sequence, timestamp: timestamp, level: 127).header + [30 << 3]
  }

  /// A message with 10 or 20 ms of sound at 48 kHz.
  public static func samples(
    _ pcm: Span<Float>, sequence: UInt32, timestamp: UInt32
  ) -> [UInt8] {
    var peak: Float = 0
    for index in pcm.indices { peak = max(peak, abs(pcm[index])) }
    var octets = GuestFrame(
      kind: .pcm, sequence: sequence, timestamp: timestamp, level: level(of: peak)
    ).header
    for index in pcm.indices {
      let sample = Int16(max(-32768, min(32767, pcm[index] * 32768)))
      octets.append(UInt8(truncatingIfNeeded: sample))
      octets.append(UInt8(truncatingIfNeeded: sample >> 8))
    }
    return octets
  }

  /// As RFC 6464 has it, of the highest sample.
  fileprivate static func level(of peak: Float) -> UInt8 {
    UInt8(min(127, max(0, -20 * log10(max(peak, 1e-6)))))
  }
}
