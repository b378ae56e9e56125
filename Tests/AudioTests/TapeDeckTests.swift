import Audio
import Testing

/// Sound from the media loop to a recorder, both sides on one thread.
@Suite struct TapeDeckTests {
  private func frames(_ tape: SoundTape, at position: Int64, _ count: Int) -> [Float] {
    var pcm = [Float](repeating: .nan, count: count)
    var room = pcm.mutableSpan
    tape.take(at: position, into: &room)
    return pcm
  }

  @Test func `what was written is read where it was put, and what was not is silence`() throws {
    let deck = try TapeDeck(sampleRate: 48_000, keepsTalkers: true, keepsMix: false)
    let tape = try #require(deck.claim(for: "anna"))
    tape.write([1, 2, 3].span, at: 10, floor: 0)
    deck.publish(20)
    #expect(deck.writtenPosition == 20)
    #expect(frames(tape, at: 8, 6) == [0, 0, 1, 2, 3, 0])
    #expect(frames(tape, at: 8, 6) == [0, 0, 0, 0, 0, 0], "its place is silent again")
    deck.publish(5)
    #expect(deck.writtenPosition == 20, "it never moves back")
  }

  @Test func `a run goes around the ring's end`() throws {
    let deck = try TapeDeck(sampleRate: 48_000, keepsTalkers: true, keepsMix: false)
    let tape = try #require(deck.claim(for: "anna"))
    let start = Int64(tape.capacityFrames) - 3
    try deck.giveBack(before: start)
    tape.write([1, 2, 3, 4, 5, 6].span, at: start, floor: start)
    #expect(frames(tape, at: start, 7) == [1, 2, 3, 4, 5, 6, 0])
    #expect(deck.lostFrames == 0)
  }

  @Test func `sound before the floor or beyond the capacity is lost, and counted`() throws {
    let deck = try TapeDeck(sampleRate: 48_000, keepsTalkers: true, keepsMix: false)
    let tape = try #require(deck.claim(for: "anna"))
    let capacity = Int64(tape.capacityFrames)
    tape.write([1, 2, 3, 4].span, at: 98, floor: 100)
    #expect(deck.lostFrames == 2)
    tape.write([5, 6, 7].span, at: capacity - 1, floor: 100)
    #expect(deck.lostFrames == 4)
    tape.write([8].span, at: capacity + 7, floor: 100)
    #expect(deck.lostFrames == 5)
    tape.write([9, 9].span, at: -1, floor: 0)
    #expect(deck.lostFrames == 5, "before the recording began")
    #expect(frames(tape, at: 98, 4) == [0, 0, 3, 4])
    #expect(frames(tape, at: capacity - 1, 1) == [5])
    #expect(frames(tape, at: 0, 1) == [9])
  }

  @Test func `the mix is a sum of ramps`() throws {
    let deck = try TapeDeck(sampleRate: 48_000, keepsTalkers: false, keepsMix: true)
    let left = try #require(deck.mix).left
    left.add([1, 1, 1, 1].span, gain: 0.5, step: 0.25, at: 2, floor: 0)
    left.add([1, 1].span, gain: 2, step: 0, at: 3, floor: 0)
    #expect(frames(left, at: 2, 4) == [0.5, 2.75, 3, 1.25])
    #expect(deck.claim(for: "anna") == nil, "no talkers are kept")
  }

  @Test(arguments: [(44_100, 1 << 18), (48_000, 1 << 18), (96_000, 1 << 19), (192_000, 1 << 20)])
  func `a tape lasts five seconds, whatever the rate`(rate: Int, frames: Int) throws {
    let deck = try TapeDeck(sampleRate: rate, keepsTalkers: false, keepsMix: true)
    let tape = try #require(deck.mix).left
    #expect(tape.capacityFrames == frames && frames >= 5 * rate)
    let second = [Float](repeating: 0.5, count: rate)
    for start in 0..<5 {
      tape.write(second.span, at: Int64(start * rate), floor: Int64(start * rate))
    }
    #expect(deck.lostFrames == 0)
  }

  @Test func `breaks come in their order, and no more than there is room for`() throws {
    let deck = try TapeDeck(sampleRate: 48_000, keepsTalkers: true, keepsMix: false)
    #expect(deck.nextBreak == nil)
    var told = 0
    while deck.tell(
      TapeBreak(end: Int64(told), start: Int64(told), nanoseconds: 1, sampleRate: 48_000))
    {
      told += 1
    }
    #expect(told >= 16)
    for number in 0..<told {
      #expect(deck.nextBreak?.end == Int64(number))
      deck.passBreak()
      if number == 0 {
        #expect(
          deck.tell(TapeBreak(end: 1000, start: 1000, nanoseconds: 1, sampleRate: 44_100)))
      }
    }
    #expect(deck.nextBreak?.sampleRate == 44_100)
    deck.passBreak()
    #expect(deck.nextBreak == nil)
  }

  @Test func `tapes are made as talkers come, for all that there can be`() throws {
    let deck = try TapeDeck(sampleRate: 48_000, keepsTalkers: true, keepsMix: false)
    var names: [String] = []
    for number in 0..<TapeDeck.mostTalkers {
      if deck.claim(for: "\(number)") == nil {
        try deck.giveBack(before: 0)
        _ = try #require(deck.claim(for: "\(number)"))
      }
      names += deck.takeNewTalkers().map(\.name)
    }
    #expect(names == (0..<TapeDeck.mostTalkers).map { "\($0)" })
    try deck.giveBack(before: 0)
    #expect(deck.claim(for: "one more") == nil)
  }
}

/// The media loop on one thread and the recorder on another, as fast as they go.
@Suite("Tape, two threads") struct TapeStressTests {
  private static let end: Int64 = 480 * 10_000

  @Test func `each frame is read once, where it was put, or counted as lost`() async throws {
    let deck = try TapeDeck(sampleRate: 48_000, keepsTalkers: true, keepsMix: false)
    let writing = Task.detached {
      let tape = deck.claim(for: "anna")
      var position: Int64 = 0
      var pcm = [Float](repeating: 0, count: 480)
      while position < Self.end {
        for index in pcm.indices { pcm[index] = Float((position + Int64(index)) % 65_536 + 1) }
        tape?.write(pcm.span, at: position, floor: position)
        position += 480
        deck.publish(position)
      }
    }
    var (position, lost, wrong): (Int64, Int, Int) = (0, 0, 0)
    var tape: SoundTape?
    var pcm = [Float](repeating: 0, count: 1000)
    while position < Self.end {
      let count = Int(min(deck.writtenPosition - position, 1000))
      tape = tape ?? deck.takeNewTalkers().first?.tape
      guard count > 0, let tape else {
        await Task.yield()
        continue
      }
      var all = pcm.mutableSpan
      var room = all._mutatingExtracting(..<count)
      tape.take(at: position, into: &room)
      for index in 0..<count {
        let expected = Float((position + Int64(index)) % 65_536 + 1)
        if pcm[index] == 0 { lost += 1 } else if pcm[index] != expected { wrong += 1 }
      }
      position += Int64(count)
      try deck.giveBack(before: position)
    }
    await writing.value
    #expect(wrong == 0)
    #expect(lost == deck.lostFrames)
  }
}
