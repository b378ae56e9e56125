import Audio
import Foundation
import Testing

@testable import Recording

/// Takes in which JACK did not run for a while, or goes on at another rate.
extension TakeTests {
  /// A tone of two seconds, a break, and a tone of two seconds at the new rate, by a talker and in the mix.
  private func takeWithBreak(
    _ format: RecordingFormat, from rate: Int, to nextRate: Int, seconds: Double
  ) throws -> Take {
    let deck = try TapeDeck(sampleRate: rate, keepsTalkers: true, keepsMix: true)
    let take = try Take(settings(format), labels: labels, deck: deck)
    let home = try #require(deck.claim(for: "home"))
    let mix = try #require(deck.mix)
    func put(_ rate: Int, at position: Int64) {
      let pcm = (0..<2 * rate).map { 0.25 * sin(Float($0 % rate) * 2 * .pi * 500 / Float(rate)) }
      home.write(pcm.span, at: position, floor: position)
      for side in [mix.left, mix.right] {
        side.add(pcm.span, gain: 1, step: 0, at: position, floor: position)
      }
    }
    let end = Int64(2 * rate)
    put(rate, at: 0)
    // What was written ahead when JACK stopped, and never heard.
    home.write([Float](repeating: 1, count: 300).span, at: end, floor: end)
    deck.publish(end)
    try take.advance()
    let start = end + 300
    let told = deck.tell(
      TapeBreak(
        end: end, start: start, nanoseconds: Int64(seconds * 1e9), sampleRate: nextRate))
    #expect(told)
    put(nextRate, at: start)
    deck.publish(start + Int64(2 * nextRate))
    try take.advance()
    #expect(deck.lostFrames == 0)
    try take.finish()
    return take
  }

  @Test(arguments: [
    (48_000, 48_000, 2.5), (48_000, 48_000, 30), (48_000, 44_100, 7), (44_100, 96_000, 0.25),
  ])
  func `where JACK did not run the files are silent, and go on together`(
    rate: Int, nextRate: Int, seconds: Double
  ) throws {
    let take = try takeWithBreak(.wav, from: rate, to: nextRate, seconds: seconds)
    let (home, mix) = (try sound("home")[0], try sound("mix")[0])
    let length = Int((4 + seconds) * Double(rate))
    #expect(home.count == length && mix.count == length)
    #expect(abs(take.seconds - 4 - seconds) < 1e-3)
    let (first, second) = (2 * rate, 2 * rate + Int(seconds * Double(rate)))
    #expect(home[(first + rate / 50)..<(second - rate / 50)].allSatisfy { abs($0) < 1e-3 })
    for file in [home, mix] {
      for start in [0, second] {
        let worst = (rate / 10..<rate * 19 / 10).map { frame in
          abs(file[start + frame] - 0.25 * sin(Float(frame % rate) * 2 * .pi * 500 / Float(rate)))
        }.max()
        #expect(worst ?? 1 < 0.005, "from \(start) on")
      }
    }
  }

  @Test(arguments: [(48_000, 48_000), (44_100, 96_000), (96_000, 48_000)])
  func `the same in Opus`(rate: Int, nextRate: Int) throws {
    _ = try takeWithBreak(.opus, from: rate, to: nextRate, seconds: 7)
    for name in ["home", "mix"] {
      let bytes = try folder.bytes("\(labels.moment)/\(name).opus")
      let frames = try #require(try OpusSound(bytes)).frames
      #expect(frames.count == 11 * 48_000, "\(name)")
      #expect(frames[99_000..<430_000].allSatisfy { abs($0) < 1e-3 })
      for start in [0, 9 * 48_000] {
        let worst = (4800..<91_200).map { frame in
          abs(frames[start + frame] - 0.25 * sin(Float(frame % 48_000) * 2 * .pi * 500 / 48_000))
        }.max()
        #expect(worst ?? 1 < 0.05, "from \(start) on")
      }
    }
  }

  @Test func `a talker who comes behind a break is where the others are`() throws {
    let deck = try deck()
    let take = try Take(settings(), labels: labels, deck: deck)
    let home = try #require(deck.claim(for: "home"))
    home.write(ramp(0..<1000).span, at: 0, floor: 0)
    deck.publish(1000)
    try take.advance()
    #expect(
      deck.tell(TapeBreak(end: 1000, start: 1000, nanoseconds: 1_000_000_000, sampleRate: 44_100)))
    deck.publish(1441)
    try take.advance()
    let late = try #require(deck.claim(for: "late"))
    let click = (0..<44_100).map { Float($0 == 1000 ? 0.5 : 0) }
    for tape in [home, late] { tape.write(click.span, at: 1441, floor: 1441) }
    deck.publish(1441 + 44_100)
    try take.advance()
    try take.finish()
    let (first, second) = (try sound("home")[0], try sound("late")[0])
    #expect(first.count == second.count)
    #expect(first[2000...].elementsEqual(second[2000...]))
    #expect(second.contains { $0 > 0.3 })
  }
}
