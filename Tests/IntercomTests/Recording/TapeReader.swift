import Audio

/// A recorder that keeps what is on the tapes in memory.
final class TapeReader {
  let deck: TapeDeck
  /// By talker's name, all from position 0 on.
  private(set) var talkers: [String: [Float]] = [:]
  private(set) var left: [Float] = []
  private(set) var right: [Float] = []
  private var tapes: [TapeDeck.Talker] = []
  private var position: Int64 = 0

  init(_ deck: TapeDeck) { self.deck = deck }

  /// Takes what came since the last call.
  func drain() throws {
    let end = deck.writtenPosition
    let count = Int(end - position)
    for talker in deck.takeNewTalkers() {
      tapes.append(talker)
      talkers[talker.name] = [Float](repeating: 0, count: Int(position))
    }
    for talker in tapes { talkers[talker.name, default: []] += take(talker.tape, count) }
    if let mix = deck.mix {
      left += take(mix.left, count)
      right += take(mix.right, count)
    }
    position = end
    try deck.giveBack(before: position)
  }

  private func take(_ tape: SoundTape, _ count: Int) -> [Float] {
    var pcm = [Float](repeating: 0, count: count)
    var room = pcm.mutableSpan
    tape.take(at: position, into: &room)
    return pcm
  }
}
