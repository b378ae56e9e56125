import Audio

/// A gain that moves to each new value within 10 ms, as the mixer's do.
struct GainRamp {
  /// Where the gain goes.
  var target: Float {
    didSet {
      guard target != oldValue else { return }
      leftFrames = rampFrames
      step = (target - now) / Float(rampFrames)
    }
  }
  private let rampFrames: Int
  private var now: Float
  private var step: Float = 0
  private var leftFrames = 0

  /// A settled gain.
  init(_ gain: Float, sampleRate: Int) {
    target = gain
    now = gain
    rampFrames = max(1, sampleRate / AudioEngine.gainRampsPerSecond)
  }

  /// Puts frames on a tape that is one stream's alone, at the gain.
  mutating func put(_ pcm: Span<Float>, on tape: SoundTape, at position: Int64, floor: Int64) {
    if leftFrames == 0 && now == 1 {
      tape.write(pcm, at: position, floor: floor)
    } else {
      add(pcm, to: tape, at: position, floor: floor)
    }
  }

  /// Adds frames to a tape at the gain.
  mutating func add(_ pcm: Span<Float>, to tape: SoundTape, at position: Int64, floor: Int64) {
    let ramping = min(leftFrames, pcm.count)
    if ramping > 0 {
      tape.add(
        pcm.extracting(..<ramping), gain: now + step, step: step, at: position, floor: floor)
      leftFrames -= ramping
      now = leftFrames == 0 ? target : now + step * Float(ramping)
    }
    guard ramping < pcm.count, now != 0 else { return }
    tape.add(
      pcm.extracting(ramping...), gain: now, step: 0, at: position + Int64(ramping),
      floor: floor)
  }
}
