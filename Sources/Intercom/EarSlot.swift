import Audio
import Lines

/// A place of the mix for what this node's ear alone is to have: in the middle, and on no other bus.
///
/// Whoever has it fills its ring ahead of the callback, with each wake-up. Where the ring runs dry, the mixer fades.
///
/// Loop thread only. But for `init` it allocates nothing.
final class EarSlot {
  private static let chunkFrames = 256

  let slot: PeerSlot
  private let engine: AudioEngine
  private let slots: Slots
  private let aheadNanoseconds: Int64
  private(set) var isAttached = false
  /// What gives way to it, from the next time on that it is attached.
  var priority = EarSettings.usualPriority
  /// How loud it is, as a factor, from then on.
  var gain: Float = 1
  private var chunk = [Float](repeating: 0, count: chunkFrames)

  /// Takes a place, which is silent until it is attached.
  ///
  /// - Parameter aheadNanoseconds: what waits in the ring at least: the loop may be that late.
  /// - Throws: that there is none, in words.
  init(
    _ engine: AudioEngine, in slots: Slots, aheadNanoseconds: Int64 = 60_000_000
  ) throws(IntercomError) {
    guard let slot = slots.take() else {
      throw .refused("all slots of the mix are taken; try again when a peer has left")
    }
    (self.slot, self.engine, self.slots) = (slot, engine, slots)
    self.aheadNanoseconds = aheadNanoseconds
  }

  /// Gives the place back; it is not to be used any more.
  func end() {
    detach()
    slots.give(slot, hasPort: false)
  }

  /// Lets it be heard; false: not yet, as what was there last still fades out.
  func attach() -> Bool {
    if isAttached { return true }
    guard engine.isIdle(slot), engine.attach(slot) else { return false }
    engine.setGain(gain, for: slot)
    engine.setRank(SlotRank.ofPriorities[priority], for: slot)
    engine.setGain(0, for: slot, on: .recording)
    engine.setPan(0, for: slot)
    isAttached = true
    return true
  }

  /// Lets it be heard no more: it is silent at once, and the ring is empty.
  func detach() {
    guard isAttached else { return }
    engine.setPlaying(false, for: slot)
    engine.detach(slot)
    isAttached = false
  }

  /// Frames that wait to be heard.
  var fillFrames: Int { engine.fillFrames(of: slot) }

  /// Whether more is to come; if not, an empty ring is no underrun.
  func setPlaying(_ isPlaying: Bool) { engine.setPlaying(isPlaying, for: slot) }

  /// Fills the ring up.
  ///
  /// - Parameter source: puts frames at the start of the room it gets, and says how many; 0: there are none.
  func fill(_ beat: Beat, from source: (inout MutableSpan<Float>) -> Int) {
    let ahead = max(
      2 * beat.periodFrames, Int(aheadNanoseconds * Int64(beat.sampleRate) / 1_000_000_000))
    while engine.fillFrames(of: slot) < ahead {
      var room = chunk.mutableSpan
      let count = source(&room)
      guard count > 0, engine.write(chunk.span.extracting(..<count), to: slot) == count
      else { return }
    }
  }
}
