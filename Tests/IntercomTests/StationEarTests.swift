import Audio
import Media
import TestKit
import Testing

@testable import Intercom

/// Somebody who talks with the user alone: the microphone to them, their voice to this ear and no other.
@Suite struct StationEarTests {
  private let network = VirtualNetwork()
  private let tone = Tone(hertz: 440)
  private let anna: VirtualNode
  private let bert: VirtualNode

  init() throws {
    anna = try VirtualNode("Anna", at: .host(1), beat: VirtualNode.Beat())
    bert = try VirtualNode("Bert", at: .host(2), beat: VirtualNode.Beat())
    network.add(anna)
    network.add(bert)
    try anna.meet(bert, network)
    network.run(seconds: 1)
    anna.station.setTalk(false)
    network.run(seconds: 1)
  }

  private func begin() throws -> EarLink {
    let link = try EarLink(sampleRate: 48_000)
    try anna.station.taps.voice.begin(link, in: anna.station.slots)
    return link
  }

  private static func read(_ queue: SoundQueue) -> [Float] {
    var frames = [Float](repeating: 0, count: queue.availableFrames)
    var span = frames.mutableSpan
    #expect(queue.read(into: &span) == frames.count)
    return frames
  }

  @Test func `it has the microphone whatever the talk key, and the others do not`() throws {
    let link = try begin()
    anna.mic = tone.sample
    network.run(seconds: 0.5)
    let frames = Self.read(link.microphone)
    #expect(frames.count > 20_000)
    // Over one swell of the tone, whose mean is 0.6.
    #expect(abs(tone.level(in: frames.suffix(16_000)) - 0.6 * tone.amplitude) < 0.02)
    #expect(bert.heard.suffix(9600).allSatisfy { $0 == 0 })
  }

  @Test func `what it says is in this ear, whole, and in no other`() throws {
    let link = try begin()
    let speech = (0..<24_000).map(tone.sample)
    #expect(link.ear.write(speech.span) == speech.count)
    network.run(seconds: 1)
    #expect(link.ear.soundedFrames == speech.count)
    let heard = tone.level(in: anna.heard.suffix(45_000).prefix(16_000))
    #expect(abs(heard - 0.6 * tone.amplitude * 0.5.squareRoot()) < 0.03)
    #expect(anna.heard.suffix(9600).allSatisfy { $0 == 0 })
    #expect(bert.heard.suffix(48_000).allSatisfy { $0 == 0 })
  }

  @Test func `what is cut off falls silent within 60 ms, and what follows is heard`() throws {
    let link = try begin()
    let speech = (0..<96_000).map(tone.sample)
    link.ear.write(speech.span)
    network.run(seconds: 0.5)
    #expect(anna.heard.suffix(480).contains { $0 != 0 })
    link.ear.cutOff()
    network.run(seconds: 0.06)
    network.run(seconds: 0.02)
    #expect(anna.heard.suffix(960).allSatisfy { $0 == 0 })
    #expect(link.ear.soundedFrames == speech.count)
    link.ear.write(speech.span.extracting(..<24_000))
    network.run(seconds: 0.3)
    #expect(anna.heard.suffix(4800).contains { $0 != 0 })
    network.run(seconds: 0.5)
    #expect(link.ear.soundedFrames == speech.count + 24_000)
  }

  @Test func `its end, or another rate of JACK, frees its slot`() throws {
    let free = anna.station.slots.freeCount
    let link = try begin()
    #expect(anna.station.slots.freeCount == free - 1)
    #expect(throws: IntercomError.self) {
      try anna.station.taps.voice.begin(link, in: anna.station.slots)
    }
    anna.station.taps.voice.end(link)
    #expect(link.isOver && anna.station.slots.freeCount == free)
    network.run(seconds: 0.1)
    let other = try begin()
    anna.beat = VirtualNode.Beat(sampleRate: 44_100)
    network.run(seconds: 0.5)
    #expect(other.isOver && anna.station.slots.freeCount == free)
  }

  @Test func `where it cannot begin it says whether somebody is there or no slot is free`() throws {
    var taken: [PeerSlot] = []
    while let slot = anna.station.slots.take() { taken.append(slot) }
    func refusal() throws -> String? {
      let link = try EarLink(sampleRate: 48_000)
      do throws(IntercomError) {
        try anna.station.taps.voice.begin(link, in: anna.station.slots)
        return nil
      } catch {
        return "\(error)"
      }
    }
    #expect(try refusal()?.contains("all slots of the mix are taken") == true)
    for slot in taken { anna.station.slots.give(slot, hasPort: false) }
    _ = try begin()
    #expect(try refusal()?.contains("somebody talks") == true)
  }

  @Test func `a thousand of them leave nothing behind`() throws {
    let free = anna.station.slots.freeCount
    for _ in 0..<1000 {
      let link = try EarLink(sampleRate: 48_000)
      while (try? anna.station.taps.voice.begin(link, in: anna.station.slots)) == nil {
        network.run(seconds: 0.01)
      }
      anna.station.taps.voice.end(link)
    }
    #expect(anna.station.slots.freeCount == free && !anna.station.taps.voice.isListening)
  }

  /// What a voice had of calls beside it: its playout delay at p99, ms, and what came late or was made up.
  private struct Course {
    let p99: Double
    let late: Int
    let concealed: Double
  }

  /// A minute of Bert's voice, by a network that jitters, between machines whose threads wake up late.
  ///
  /// - Parameter hasCalls: Anna is in one call after the other, whose answers she cuts off, and her loop takes twice as
  ///   long for each wake-up.
  private func course(hasCalls: Bool, seed: UInt64) throws -> Course {
    var model = LinkModel()
    model.delayNanoseconds = 2_000_000
    model.jitter = .gaussian(nanoseconds: 1_500_000)
    let network = VirtualNetwork(model: model, seed: seed)
    let beat = VirtualNode.Beat(periodFrames: 64)
    let (anna, bert) = (
      try VirtualNode("Anna", at: .host(1), beat: beat),
      try VirtualNode("Bert", at: .host(2), beat: beat)
    )
    for node in [anna, bert] {
      node.wakeUpJitter = (WakeUpJitter(seed: seed), WakeUpJitter(seed: seed + 1000))
      network.add(node)
    }
    bert.mic = tone.sample
    try anna.meet(bert, network)
    network.run(seconds: 10)
    let stream = try #require(anna.peer(at: .host(2))?.stream)
    let before = stream.statistics
    if hasCalls { anna.wakeNanoseconds *= 2 }
    let answer = (0..<48_000).map(tone.sample)
    var delays: [Double] = []
    var link: EarLink?
    for look in 0..<600 {
      if hasCalls, look % 10 == 0 {
        if let link { anna.station.taps.voice.end(link) }
        let next = try EarLink(sampleRate: 48_000)
        // The slot of the last one fades out still, sometimes.
        if (try? anna.station.taps.voice.begin(next, in: anna.station.slots)) != nil {
          next.ear.write(answer.span)
          link = next
        }
      }
      if look % 10 == 7 { link?.ear.cutOff() }
      network.run(seconds: 0.1)
      delays.append(Double(stream.statistics.playoutDelayNanoseconds) / 1e6)
    }
    #expect(hasCalls == (anna.station.taps.voice.isListening))
    let after = stream.statistics
    return Course(
      p99: delays.sorted()[594], late: after.late - before.late,
      concealed: after.concealedPackets - before.concealedPackets)
  }

  @Test(arguments: UInt64(1)...2)
  func `calls delay nobody's voice at p99, and nothing of it comes late`(seed: UInt64) throws {
    let (quiet, busy) = (
      try course(hasCalls: false, seed: seed), try course(hasCalls: true, seed: seed)
    )
    print(
      "seed \(seed): p99 \(quiet.p99) ms without calls, \(busy.p99) ms with them;",
      "late \(quiet.late) and \(busy.late), made up \(quiet.concealed) and \(busy.concealed)")
    #expect(busy.p99 <= quiet.p99 * 1.05)
    #expect(busy.late <= quiet.late + 1 && busy.concealed <= quiet.concealed + 1)
  }
}
