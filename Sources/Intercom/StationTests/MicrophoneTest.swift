import Audio

/// Who has the microphone on the loop, whatever the talk key.
///
/// Loop thread only; allocates nothing.
protocol MicrophoneListener: AnyObject {
  /// Takes frames as they were captured.
  func hear(untreated pcm: Span<Float>, sampleRate: Int)
  /// Takes the same frames, by way of the voice chain.
  func hear(treated pcm: Span<Float>, sampleRate: Int)
}

/// Records the microphone untreated while its user speaks, then plays a sound to the ear and records on.
final class MicrophoneTest: StationTest, MicrophoneListener {
  /// Where JACK stands still the test ends that much after its time.
  private static let graceNanoseconds: Int64 = 2_000_000_000

  /// Given before it begins.
  var place: EarSlot?
  var slot: PeerSlot? { place?.slot }
  let sampleRate: Int
  private let taps: Taps
  /// What the ear gets once the user has spoken; it ends in silence for as long as an echo may take.
  private let sound: [Float]
  private let speechFrames: Int
  private var played = 0
  /// All that was recorded.
  private(set) var record: [Float]
  private(set) var recorded = 0
  /// The place in the record at which the sound began to be played; nil: it did not.
  private(set) var soundStart: Int?
  private var deadlineNanoseconds: Int64?

  /// A probe's plan at JACK's rate.
  ///
  /// - Parameter room: for its `recordFrames`, so that it is had off the loop.
  init(_ probe: MicrophoneProbe, room: consuming [Float], taps: Taps) {
    (self.taps, sampleRate) = (taps, probe.sampleRate)
    (sound, speechFrames) = (probe.sound, probe.speechFrames)
    record = room
  }

  /// Whether all of it was recorded.
  var isComplete: Bool { recorded == record.count && soundStart != nil }

  func begin(_ engine: AudioEngine) -> Bool {
    guard taps.listener == nil, place?.attach() == true else { return false }
    taps.listener = self
    return true
  }

  func step(_ engine: AudioEngine, _ beat: Beat, nowNanoseconds: Int64) -> Bool {
    let seconds = Double(record.count) / Double(sampleRate)
    let deadline =
      deadlineNanoseconds ?? nowNanoseconds + Int64(seconds * 1e9) + Self.graceNanoseconds
    deadlineNanoseconds = deadline
    guard recorded < record.count, nowNanoseconds < deadline else { return false }
    guard beat.isRunning else { return true }
    guard beat.sampleRate == sampleRate else { return false }
    guard recorded >= speechFrames, let place else { return true }
    if soundStart == nil { soundStart = recorded }
    place.fill(beat) { fill(&$0) }
    place.setPlaying(played < sound.count)
    return true
  }

  func end(_ engine: AudioEngine) {
    if taps.listener === self { taps.listener = nil }
    place?.end()
  }

  func abandon() { place?.end() }

  func hear(untreated pcm: Span<Float>, sampleRate: Int) {
    guard sampleRate == self.sampleRate else { return }
    let count = min(pcm.count, record.count - recorded)
    for index in 0..<count {
      record[recorded + index] = pcm[index].isFinite ? pcm[index] : 0
    }
    recorded += count
  }

  func hear(treated pcm: Span<Float>, sampleRate: Int) {}

  private func fill(_ room: inout MutableSpan<Float>) -> Int {
    let count = min(room.count, sound.count - played)
    for index in 0..<count { room[index] = sound[played + index] }
    played += count
    return count
  }
}

/// Lets the user hear the own microphone as the others would, by way of the voice chain.
///
/// Who hears it on loudspeakers has a howl: that is asked before, and a sound that stays loud ends it.
final class EarMonitor: StationTest, MicrophoneListener {
  /// A level that no voice keeps so long.
  private enum Howl {
    static let power: Float = 0.25
    static let seconds = 0.3
    static let smoothingSeconds: Float = 0.05
  }
  private static let graceNanoseconds: Int64 = 2_000_000_000
  private static let fadesPerSecond: Float = 50

  /// Given before it begins.
  var place: EarSlot?
  var slot: PeerSlot? { place?.slot }
  let sampleRate: Int
  private let taps: Taps
  private let totalFrames: Int
  private let framesPerPacket: Int
  /// What came and is not played: a ring.
  private var ring: [Float]
  private var (head, count) = (0, 0)
  private var heard = 0
  private var gain: Float = 0
  private var isFlowing = false
  private var power: Float = 0
  private var loudFrames = 0
  private var deadlineNanoseconds: Int64?

  /// For so long, at JACK's rate.
  ///
  /// - Parameter framesPerPacket: so many come at once.
  init(seconds: Double, sampleRate: Int, framesPerPacket: Int, taps: Taps) {
    (self.sampleRate, self.taps, self.framesPerPacket) = (sampleRate, taps, framesPerPacket)
    totalFrames = Int(seconds * Double(sampleRate))
    ring = [Float](repeating: 0, count: max(sampleRate / 4, 4 * framesPerPacket))
  }

  /// Whether it was ended because it howled.
  private(set) var hasHowled = false

  func begin(_ engine: AudioEngine) -> Bool {
    guard taps.listener == nil, place?.attach() == true else { return false }
    taps.listener = self
    return true
  }

  func step(_ engine: AudioEngine, _ beat: Beat, nowNanoseconds: Int64) -> Bool {
    let seconds = Double(totalFrames) / Double(sampleRate)
    let deadline =
      deadlineNanoseconds ?? nowNanoseconds + Int64(seconds * 1e9) + Self.graceNanoseconds
    deadlineNanoseconds = deadline
    guard heard < totalFrames, nowNanoseconds < deadline, !hasHowled else { return false }
    guard beat.isRunning else { return true }
    guard beat.sampleRate == sampleRate, let place else { return false }
    // As much as is taken at once, and as comes at once: less would run dry.
    if !isFlowing { isFlowing = count >= framesPerPacket + beat.periodFrames }
    guard isFlowing else { return true }
    place.setPlaying(true)
    place.fill(beat) { take(&$0) }
    return true
  }

  func end(_ engine: AudioEngine) {
    if taps.listener === self { taps.listener = nil }
    place?.end()
  }

  func abandon() { place?.end() }

  func hear(untreated pcm: Span<Float>, sampleRate: Int) {}

  func hear(treated pcm: Span<Float>, sampleRate: Int) {
    guard sampleRate == self.sampleRate else { return }
    heard += pcm.count
    let step = Self.fadesPerSecond / Float(sampleRate)
    let smoothing = 1 / (Howl.smoothingSeconds * Float(sampleRate))
    for index in 0..<pcm.count {
      power += smoothing * (pcm[index] * pcm[index] - power)
      loudFrames = power > Howl.power ? loudFrames + 1 : 0
      if loudFrames > Int(Howl.seconds * Double(sampleRate)) { hasHowled = true }
      gain = min(1, gain + step)
      // What finds no room was not taken in time: it is passed over.
      guard count < ring.count else { continue }
      ring[(head + count) % ring.count] = gain * pcm[index]
      count += 1
    }
  }

  private func take(_ room: inout MutableSpan<Float>) -> Int {
    let taken = min(room.count, count)
    for index in 0..<taken { room[index] = ring[(head + index) % ring.count] }
    head = (head + taken) % ring.count
    count -= taken
    return taken
  }
}
