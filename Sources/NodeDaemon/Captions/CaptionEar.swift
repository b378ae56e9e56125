internal import Audio
internal import Cryptography
internal import Intercom

/// The talkers that a captioner hears: their sound in blocks of 10 ms, ready for a recogniser.
///
/// Its sound is on tapes (``TapeDeck``), as for a recording: each member's stream for all or for lines, and the own
/// microphone as its talk key lets it through. Not thread-safe.
final class CaptionEar {
  /// What was heard of one of them in 10 ms.
  struct Block {
    /// The node's ID; empty: the own microphone.
    let talker: String
    /// 16 kHz, 16 bits.
    let pcm: [UInt8]
    /// Whether it says something.
    let isSpeaking: Bool
  }

  private struct Talker {
    let id: String
    let tape: SoundTape
    let ear: MicrophoneEar
  }

  let deck: TapeDeck
  private var talkers: [Talker] = []
  private var position: Int64 = 0
  private var block: [Float]
  /// Nothing more comes: JACK runs at another rate, or memory is short.
  private(set) var isOver = false

  init(_ deck: TapeDeck) {
    self.deck = deck
    block = [Float](repeating: 0, count: deck.sampleRate / 100)
  }

  /// Frames of all talkers that were lost, as nobody took them in time.
  var lostFrames: Int { deck.lostFrames }

  /// What was last heard of a talker before it began.
  func preroll(of talker: String) -> [UInt8] {
    talkers.first { $0.id == talker }?.ear.preroll ?? []
  }

  /// Takes what came since the last call.
  func take() -> [Block] {
    guard !isOver else { return [] }
    let written = deck.writtenPosition
    meet()
    var blocks: [Block] = []
    while !isOver {
      let next = deck.nextBreak
      let end = min(written, next?.end ?? .max)
      while position + Int64(block.count) <= end { blocks += step() }
      guard let next, next.end <= written else { break }
      deck.passBreak()
      position = next.start
      isOver = next.sampleRate != deck.sampleRate
    }
    do throws(AudioError) { try deck.giveBack(before: position) } catch { isOver = true }
    return blocks
  }

  /// New talkers begin to be listened to; streams for some alone, inputs and guests of others do not: they have no ID
  /// of a node.
  private func meet() {
    for talker in deck.takeNewTalkers()
    where talker.id.isEmpty || NodeID(text: talker.id) != nil {
      guard let ear = MicrophoneEar(sampleRate: deck.sampleRate) else {
        isOver = true
        return
      }
      talkers.append(Talker(id: talker.id, tape: talker.tape, ear: ear))
    }
  }

  private func step() -> [Block] {
    var blocks: [Block] = []
    for talker in talkers {
      var span = block.mutableSpan
      talker.tape.take(at: position, into: &span)
      // Most are silent most of the time, to the last bit.
      guard talker.ear.isSpeaking || block.contains(where: { $0 != 0 }),
        let heard = talker.ear.take(block.span)
      else { continue }
      blocks.append(Block(talker: talker.id, pcm: heard.pcm, isSpeaking: talker.ear.isSpeaking))
    }
    position += Int64(block.count)
    return blocks
  }
}
