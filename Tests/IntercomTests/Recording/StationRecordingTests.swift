import Audio
import EventLoop
import Habits
import Testing

@testable import Intercom

/// What a recorder gets is what the microphone and the ear had, each frame at its place, whatever happens meanwhile.
///
/// The virtual node numbers the frames of its microphone and of its ear alike, as JACK does. So there is one number
/// that a tape's position differs by from both.
@Suite struct StationRecordingTests {
  private static let periodFrames = 128
  let network = VirtualNetwork()
  let anna: VirtualNode
  let bert: VirtualNode
  let reader: TapeReader

  /// A sound of which no two pieces are alike.
  private static func noise(_ frame: Int) -> Float {
    var word = UInt32(truncatingIfNeeded: frame) &* 2_654_435_761
    word ^= word >> 15
    word = word &* 2_246_822_519
    word ^= word >> 13
    return Float(Int32(bitPattern: word)) / Float(Int32.max) * 0.1
  }

  init() throws {
    anna = try VirtualNode("Anna", at: .host(1), beat: VirtualNode.Beat())
    bert = try VirtualNode("Bert", at: .host(2), beat: VirtualNode.Beat())
    anna.mic = Self.noise
    bert.mic = Tone(hertz: 440).sample
    network.add(anna)
    network.add(bert)
    try anna.meet(bert, network)
    network.run(seconds: 2)
    // What was decoded before a recording begins is not on its tapes: here there is little of it.
    let sink = try #require(anna.peer(at: .host(2))?.sink)
    try #require(network.run(until: { sink.fillFrames <= Self.periodFrames }, limitSeconds: 0.02))
    reader = TapeReader(
      try TapeDeck(sampleRate: 48_000, keepsTalkers: true, keepsMix: true, talkers: 2))
    anna.station.beginRecording(on: reader.deck)
  }

  private func run(seconds: Double) throws {
    // More often than a tape is full.
    var left = seconds
    while left > 0 {
      network.run(seconds: min(left, 1))
      try reader.drain()
      left -= 1
    }
  }

  /// By how many frames the microphone's number is greater than the tape's position, near the tape's end.
  private func microphoneOffset() throws -> Int {
    let tape = try #require(reader.talkers["Anna"])
    try #require(tape.count > 4800)
    let start = tape.count - 2000
    let wanted = tape[start..<tape.count]
    let last = anna.heard.count - wanted.count
    let found = (0...last).reversed().first { first in
      Self.noise(first) == wanted[start]
        && (0..<1000).allSatisfy {
          Self.noise(first + $0) == wanted[start + $0]
        }
    }
    return try #require(found) - start
  }

  /// The same of the ear; the middle's gain is that of equal power.
  private func earOffset() throws -> Int {
    let tape = reader.left
    let start = tape.count - 2000
    try #require(tape[start...].contains { $0.magnitude > 0.01 })
    let last = anna.heard.count - 1500
    let found = (0...last).reversed().first { first in
      (0..<1000).allSatisfy { abs(anna.heard[first + $0] - tape[start + $0]) < 1e-5 }
    }
    return try #require(found) - start
  }

  @Test func `microphone and ear are on the tapes, frame by frame, on one time line`() throws {
    let began = anna.heard.count
    try run(seconds: 3)
    let offset = try microphoneOffset()
    #expect(abs(offset - began) <= 2 * Self.periodFrames, "position 0 is where it began")
    #expect(try earOffset() == offset)
    let own = try #require(reader.talkers["Anna"])
    let isWhole = own.indices.allSatisfy { own[$0] == Self.noise($0 + offset) }
    #expect(isWhole, "from its beginning on")
    let (left, heard) = (reader.left, anna.heard)
    let isHeard = (2 * Self.periodFrames..<left.count).allSatisfy {
      abs(left[$0] - heard[$0 + offset]) < 1e-5
    }
    #expect(isHeard)
    // The middle's two factors, a sine and a cosine, are rounded apart.
    #expect(zip(reader.left, reader.right).allSatisfy { abs($0 - $1) < 1e-6 })
    let peer = try #require(reader.talkers["Bert"])
    let gain = Float(0.5).squareRoot()
    // What was decoded before it began is in the mix alone, which fades in over it.
    let both = zip(peer, reader.left).dropFirst(4 * Self.periodFrames)
    #expect(both.allSatisfy { abs($0 * gain - $1) < 1e-6 })
    #expect(reader.deck.lostFrames == 0)
  }

  @Test func `gain, place and mute of the mix are the ear's, the talker's tape is as it came`()
    throws
  {
    try run(seconds: 1)
    try anna.station.roster.change("Bert") {
      $0.gainDecibels = -12
      $0.pan = -0.5
    }
    try run(seconds: 1)
    #expect(try earOffset() == microphoneOffset())
    let peer = try #require(reader.talkers["Bert"])
    let place = peer.count - 1000
    #expect(abs(reader.right[place] / reader.left[place] - 0.41421) < 1e-3)
    #expect(abs(reader.left[place] / peer[place] - 0.25119 * 0.92388) < 1e-3)
    try anna.station.roster.change("Bert") { $0.isMuted = true }
    try run(seconds: 1)
    #expect(reader.left.suffix(24_000).allSatisfy { $0 == 0 })
    #expect(reader.talkers["Bert"]?.suffix(24_000).contains { $0.magnitude > 0.05 } == true)
  }

  @Test func `a talker who comes, goes and comes back has one tape, and silence meanwhile`() throws
  {
    let carl = try VirtualNode("Carl", at: .host(3), beat: VirtualNode.Beat())
    carl.mic = Tone(hertz: 900).sample
    try run(seconds: 2)
    #expect(reader.talkers["Carl"] == nil)
    network.add(carl)
    try carl.meet(anna, network)
    try run(seconds: 2)
    network.cut(.host(3))
    for _ in 0..<7 { try run(seconds: 1) }
    #expect(!anna.isConnected(to: .host(3)))
    network.mend(.host(3))
    for _ in 0..<4 { try run(seconds: 1) }
    #expect(anna.isConnected(to: .host(3)))
    let tape = try #require(reader.talkers["Carl"])
    #expect(Set(reader.talkers.keys) == ["Anna", "Bert", "Carl"])
    #expect(tape.prefix(90_000).allSatisfy { $0 == 0 })
    #expect(Tone(hertz: 900).level(in: tape[140_000..<180_000]) > 0.1)
    #expect(tape[400_000..<500_000].allSatisfy { $0 == 0 })
    #expect(Tone(hertz: 900).level(in: tape.suffix(48_000)) > 0.1)
    #expect(try earOffset() == microphoneOffset())
  }

  @Test(arguments: [0.01, 0.05, 0.15])
  func `callbacks that are late shift nothing`(seconds: Double) throws {
    try run(seconds: 2)
    let before = try microphoneOffset()
    anna.stalledUntilNanoseconds = network.now + Int64(seconds * 1e9)
    try run(seconds: 3)
    #expect(try microphoneOffset() == before)
    #expect(try earOffset() == before)
  }

  /// For longer than the capture ring lasts, and for longer than JACK may be silent.
  @Test(arguments: [0.05, 0.5, 3])
  func `a media loop that does not come to run shifts nothing for good`(seconds: Double) throws {
    try run(seconds: 2)
    let before = try microphoneOffset()
    anna.heldUpUntilNanoseconds = network.now + Int64(seconds * 1e9)
    try run(seconds: seconds + 3)
    #expect(try microphoneOffset() == before)
    #expect(try earOffset() == before)
  }

  @Test func `the time that JACK does not run passes on the tapes, too`() throws {
    try run(seconds: 2)
    let before = try microphoneOffset()
    anna.beat = nil
    try run(seconds: 2)
    anna.beat = VirtualNode.Beat(periodFrames: 256)
    try run(seconds: 3)
    let after = try microphoneOffset()
    #expect(try earOffset() == after)
    #expect(abs(before - after - 2 * 48_000) < 2 * 256)
  }

  /// For longer than a tape lasts.
  @Test func `a long time that JACK does not run costs no sound afterwards`() throws {
    try run(seconds: 2)
    anna.beat = nil
    try run(seconds: 9)
    anna.beat = VirtualNode.Beat()
    try run(seconds: 3)
    #expect(reader.deck.lostFrames == 0)
    #expect(try earOffset() == microphoneOffset())
  }

  @Test func `the mix has what the ear has of others, but neither its sidetone nor its test tones`()
    throws
  {
    anna.station.microphone.setSidetone(0)
    try run(seconds: 1)
    _ = try anna.station.tests.beginTone(
      EarTone.Sound(levelDBFS: -20, hertz: 1000, seconds: 1), at: anna.station.playout.beat)
    try run(seconds: 1.5)
    let mix = reader.left.suffix(48_000)
    let heard = anna.heard.suffix(72_000)
    #expect(Tone(hertz: 1000).level(in: heard) > 0.03)
    #expect(Tone(hertz: 1000).level(in: mix) < 0.001)
    #expect(Tone(hertz: 440).level(in: mix) > 0.05)
    let peer = try #require(reader.talkers["Bert"])
    let gain = Float(0.5).squareRoot()
    let isPeer = (peer.count - 48_000..<peer.count).allSatisfy {
      abs(peer[$0] * gain - reader.left[$0]) < 1e-6
    }
    #expect(isPeer)
  }

  @Test func `recordings after and beside one another have their mix from their beginning on`()
    throws
  {
    try run(seconds: 1)
    anna.station.endRecording(on: reader.deck)
    let second = TapeReader(try TapeDeck(sampleRate: 48_000, keepsTalkers: true, keepsMix: true))
    anna.station.beginRecording(on: second.deck)
    let third = TapeReader(try TapeDeck(sampleRate: 48_000, keepsTalkers: true, keepsMix: true))
    network.run(seconds: 1)
    try second.drain()
    #expect(second.deck.lostFrames == 0)
    #expect(second.left.dropFirst(2400).contains { $0.magnitude > 0.05 })
    // Without an end of the one before.
    anna.station.beginRecording(on: third.deck)
    network.run(seconds: 1)
    try second.drain()
    try third.drain()
    #expect(second.deck.lostFrames == 0 && third.deck.lostFrames == 0)
    #expect(Tone(hertz: 440).level(in: third.left.dropFirst(2400)) > 0.05)
    // The same sound at the same time, whenever a recording began.
    let count = third.left.count - 2400
    #expect(second.left.suffix(count) == third.left.suffix(count))
  }

  /// What Bert says when his own voice is sent back to Anna is Bert's, and not Anna's.
  @Test func `the own file has no voice that is sent back, and no test`() throws {
    bert.mic = Tone(hertz: 700).sample
    anna.mic = Tone(hertz: 1100).sample
    try run(seconds: 1)
    _ = try anna.station.tests.beginLoopBack(
      of: anna.station.roster.sessions.find("Bert"), seconds: 60, nowNanoseconds: network.now)
    try run(seconds: 2)
    anna.station.tests.endLoopBack()
    try run(seconds: 2)
    let own = try #require(reader.talkers["Anna"])
    #expect(Tone(hertz: 700).level(in: own[48_000..<144_000]) < 0.001)
    #expect(own[50_000..<140_000].allSatisfy { $0 == 0 })
    #expect(Tone(hertz: 1100).level(in: own[168_000..<216_000]) > 0.1)
  }

  /// Longer than a tape lasts, too.
  @Test(arguments: [2.0, 9])
  func `at another rate of JACK's it goes on behind the silence`(seconds: Double) throws {
    try run(seconds: 2)
    anna.beat = nil
    try run(seconds: seconds)
    anna.beat = VirtualNode.Beat(periodFrames: 128, sampleRate: 44_100)
    try run(seconds: 3)
    #expect(reader.deck.lostFrames == 0)
    #expect(reader.rates == [44_100])
    let tone = Tone(hertz: 440 * 48_000 / 44_100)
    let length = Int(2 * 48_000 + seconds * 44_100 + 3 * 44_100)
    let peer = try #require(reader.talkers["Bert"])
    #expect(abs(peer.count - length) < 2 * 48_000 / 10)
    #expect(tone.level(in: peer.suffix(44_100)) > 0.1)
    #expect(try earOffset() == microphoneOffset())
  }

  @Test func `after the end nothing is written, and another recorder begins at 0`() throws {
    try run(seconds: 1)
    anna.station.endRecording(on: reader.deck)
    let end = reader.deck.writtenPosition
    network.run(seconds: 1)
    #expect(reader.deck.writtenPosition == end)
    let second = TapeReader(
      try TapeDeck(sampleRate: 48_000, keepsTalkers: true, keepsMix: false))
    anna.station.beginRecording(on: second.deck)
    anna.station.endRecording(on: reader.deck)
    network.run(seconds: 1)
    try second.drain()
    #expect(abs((second.talkers["Bert"]?.count ?? 0) - 48_000) < 2000)
    #expect(second.left.isEmpty)
  }

  /// Nobody is there to listen.
  @Test func `a node that is alone records itself`() throws {
    let carl = try VirtualNode("Carl", at: .host(9), beat: VirtualNode.Beat())
    carl.mic = Tone(hertz: 900).sample
    network.add(carl)
    network.run(seconds: 1)
    let alone = TapeReader(try TapeDeck(sampleRate: 48_000, keepsTalkers: true, keepsMix: true))
    carl.station.beginRecording(on: alone.deck)
    network.run(seconds: 2)
    try alone.drain()
    #expect(Tone(hertz: 900).level(in: alone.talkers["Carl"] ?? []) > 0.1)
    #expect(alone.left.allSatisfy { $0 == 0 })
  }
}
