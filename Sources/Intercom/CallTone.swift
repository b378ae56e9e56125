import Audio
import Glibc

/// The sound of a call at this node's ear, and nowhere else: a beep with each flash of the lamp, until nobody calls.
///
/// silent → {somebody calls} → beeps, 2 Hz → {nobody calls} → the beep that has begun ends → its place of the mix is
/// free. Where no place is free, it is asked for again with each wake-up.
///
/// Loop thread only. But for the place at a call's begin, steps allocate nothing.
final class CallTone {
  private static let hertz = 880.0
  /// As lamps flash (COMMS.md §B4).
  private static let beepsPerSecond = 2.0
  /// A beep comes and goes in so many seconds, without a click.
  private static let rampSeconds = 0.02

  private let engine: AudioEngine
  private let slots: Slots
  /// The peak that is wanted, as a factor of full scale; 0: silence.
  private var wanted = 0.0
  /// That of the beep that sounds, which stays to its end.
  private var peak = 0.0
  private var place: EarSlot?
  /// Frames since the beep began.
  private var position = 0

  init(engine: AudioEngine, slots: Slots) { (self.engine, self.slots) = (engine, slots) }

  /// Whether it sounds, or is about to.
  var isBusy: Bool { wanted > 0 || place != nil }

  /// Follows whether somebody calls, and how loud that is to be, dBFS of its peak; nil: not at all.
  func follow(isCalled: Bool, decibels: Double?) {
    wanted = isCalled ? decibels.map { pow(10, $0 / 20) } ?? 0 : 0
  }

  /// One wake-up.
  func step(_ beat: Beat) {
    guard isBusy else { return }
    guard beat.isRunning else {
      if wanted == 0 { end() }
      return
    }
    if place == nil, slots.freeCount > 0 {
      position = 0
      place = try? EarSlot(engine, in: slots)
    }
    guard let place, place.attach() else {
      if wanted == 0 { end() }
      return
    }
    let cycle = Int(Double(beat.sampleRate) / Self.beepsPerSecond)
    place.fill(beat) { fill(&$0, of: cycle, sampleRate: Double(beat.sampleRate)) }
    let isOver = wanted == 0 && (position == 0 || position >= cycle / 2)
    place.setPlaying(!isOver)
    if isOver, place.fillFrames == 0 { end() }
  }

  private func end() {
    place?.end()
    place = nil
  }

  private func fill(_ room: inout MutableSpan<Float>, of cycle: Int, sampleRate: Double) -> Int {
    let beep = cycle / 2
    for index in 0..<room.count {
      if position == 0 || position >= cycle { (position, peak) = (0, wanted) }
      if wanted == 0, position >= beep || peak == 0 { return index }
      let ramp = min(1, Double(min(position, beep - 1 - position)) / sampleRate / Self.rampSeconds)
      let phase = Self.hertz * Double(position) / sampleRate
      room[index] = position < beep ? Float(peak * ramp * sin(2 * .pi * phase)) : 0
      position += 1
    }
    return room.count
  }
}
