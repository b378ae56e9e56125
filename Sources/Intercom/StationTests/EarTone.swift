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
  /// Where JACK stands still the tone ends that much after its time.
  private static let graceNanoseconds: Int64 = 2_000_000_000

  let sound: Sound
  var slot: PeerSlot? { place.slot }
  private let place: EarSlot
  private var position = 0
  private var phase = 0.0
  private var deadlineNanoseconds: Int64?

  /// A tone in a place of its own, which goes with its end.
  init(_ sound: Sound, in place: EarSlot) { (self.sound, self.place) = (sound, place) }

  func begin(_ engine: AudioEngine) -> Bool { place.attach() }

  func step(_ engine: AudioEngine, _ beat: Beat, nowNanoseconds: Int64) -> Bool {
    let deadline =
      deadlineNanoseconds ?? nowNanoseconds + Int64(sound.seconds * 1e9) + Self.graceNanoseconds
    deadlineNanoseconds = deadline
    guard nowNanoseconds < deadline else { return false }
    guard beat.isRunning else { return true }
    let total = Int(sound.seconds * Double(beat.sampleRate))
    place.fill(beat) { fill(&$0, of: total, sampleRate: Double(beat.sampleRate)) }
    place.setPlaying(position < total)
    return position < total || place.fillFrames > 0
  }

  func end(_ engine: AudioEngine) { place.end() }

  private func fill(
    _ room: inout MutableSpan<Float>, of total: Int, sampleRate: Double
  ) -> Int {
    let count = max(0, min(room.count, total - position))
    let peak = pow(10, sound.levelDBFS / 20)
    let rampFrames = sampleRate / Self.rampsPerSecond
    for index in 0..<count {
      let place = position + index
      let ramp = min(1, Double(min(place, total - 1 - place)) / rampFrames)
      room[index] = Float(peak * ramp * sin(2 * .pi * phase))
      phase += sound.hertz / sampleRate
      if phase >= 1 { phase -= 1 }
    }
    position += count
    return count
  }
}
