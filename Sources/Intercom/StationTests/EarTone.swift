import Audio
import Glibc

/// A tone to the ear, as if it came from a peer: in the middle of this node's own mix, and sent to nobody.
final class EarTone: StationTest {
  /// How it sounds.
  struct Sound: Sendable {
    /// Of its peak, 0 dBFS as loud as a sine can be.
    var levelDBFS: Double
    var hertz: Double
    var seconds: Double
  }

  /// The tone comes and goes in so much of a second, without a click.
  private static let rampsPerSecond = 50.0
  /// What waits in the ring at least: the loop may be that late.
  private static let aheadNanoseconds: Int64 = 60_000_000
  /// Where JACK stands still the tone ends that much after its time.
  private static let graceNanoseconds: Int64 = 2_000_000_000
  private static let chunkFrames = 256

  let sound: Sound
  let slot: PeerSlot?
  var ownSlot: PeerSlot? { slot }
  private var chunk = [Float](repeating: 0, count: chunkFrames)
  private var position = 0
  private var phase = 0.0
  private var deadlineNanoseconds: Int64?

  /// A tone in a slot that is free and idle.
  init(_ sound: Sound, in slot: PeerSlot) {
    self.sound = sound
    self.slot = slot
  }

  func begin(_ engine: AudioEngine) -> Bool {
    guard let slot, engine.attach(slot) else { return false }
    engine.setGain(1, for: slot)
    // The ear's alone.
    engine.setGain(0, for: slot, on: .recording)
    engine.setPan(0, for: slot)
    return true
  }

  func step(_ engine: AudioEngine, _ beat: Beat, nowNanoseconds: Int64) -> Bool {
    let deadline =
      deadlineNanoseconds ?? nowNanoseconds + Int64(sound.seconds * 1e9) + Self.graceNanoseconds
    deadlineNanoseconds = deadline
    guard let slot, nowNanoseconds < deadline else { return false }
    guard beat.isRunning else { return true }
    let total = Int(sound.seconds * Double(beat.sampleRate))
    let ahead = max(
      2 * beat.periodFrames,
      Int(Self.aheadNanoseconds * Int64(beat.sampleRate) / 1_000_000_000))
    while position < total, engine.fillFrames(of: slot) < ahead {
      let count = min(Self.chunkFrames, total - position)
      fill(count, of: total, sampleRate: Double(beat.sampleRate))
      guard engine.write(chunk.span.extracting(..<count), to: slot) == count else { break }
      position += count
    }
    engine.setPlaying(position < total, for: slot)
    return position < total || engine.fillFrames(of: slot) > 0
  }

  func end(_ engine: AudioEngine) {
    guard let slot else { return }
    engine.setPlaying(false, for: slot)
    engine.detach(slot)
  }

  private func fill(_ count: Int, of total: Int, sampleRate: Double) {
    let peak = pow(10, sound.levelDBFS / 20)
    let rampFrames = sampleRate / Self.rampsPerSecond
    for index in 0..<count {
      let place = position + index
      let ramp = min(1, Double(min(place, total - 1 - place)) / rampFrames)
      chunk[index] = Float(peak * ramp * sin(2 * .pi * phase))
      phase += sound.hertz / sampleRate
      if phase >= 1 { phase -= 1 }
    }
  }
}
