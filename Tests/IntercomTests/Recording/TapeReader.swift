import Audio

/// A recorder that keeps what is on the tapes in memory.
final class TapeReader {
  let deck: TapeDeck
  /// By talker's name, all from position 0 on.
  private(set) var talkers: [String: [Float]] = [:]
  private(set) var left: [Float] = []
  private(set) var right: [Float] = []
  /// By the file's name.
  private(set) var buses: [String: [Float]] = [:]
  private var tapes: [TapeDeck.Talker] = []
  private var position: Int64 = 0
  private var length = 0
  /// JACK's after each break.
  private(set) var rates: [Int] = []

  init(_ deck: TapeDeck) { self.deck = deck }

  /// Takes what came since the last call; breaks are silence.
  func drain() throws {
    let end = deck.writtenPosition
    for talker in deck.takeNewTalkers() {
      tapes.append(talker)
      talkers[talker.name] = [Float](repeating: 0, count: length)
    }
    while let next = deck.nextBreak, next.end < end {
      read(until: next.end)
      let mixes = [deck.mix?.left, deck.mix?.right].compactMap { $0 } + deck.buses.map(\.tape)
      for tape in tapes.map(\.tape) + mixes {
        _ = take(tape, Int(next.start - position))
      }
      position = next.start
      let silence = Double(next.nanoseconds) * Double(next.sampleRate) / 1e9
      add(Int(silence.rounded())) { _, count in [Float](repeating: 0, count: count) }
      rates.append(next.sampleRate)
      deck.passBreak()
    }
    read(until: end)
    try deck.giveBack(before: position)
  }

  private func read(until end: Int64) {
    add(Int(end - position)) { tape, count in self.take(tape, count) }
    position = end
  }

  private func add(_ count: Int, _ sound: (SoundTape, Int) -> [Float]) {
    for talker in tapes { talkers[talker.name, default: []] += sound(talker.tape, count) }
    if let mix = deck.mix {
      left += sound(mix.left, count)
      right += sound(mix.right, count)
    }
    for bus in deck.buses { buses[bus.name, default: []] += sound(bus.tape, count) }
    length += count
  }

  private func take(_ tape: SoundTape, _ count: Int) -> [Float] {
    var pcm = [Float](repeating: 0, count: count)
    var room = pcm.mutableSpan
    tape.take(at: position, into: &room)
    return pcm
  }
}
