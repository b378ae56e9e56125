import EventLoop
import Habits
import Media
import StatusSchema
import Testing

@testable import Intercom

/// Two stations, two audio engines and a link: what one says the other hears.
@Suite struct StationSoundTests {
  private static let beats = [
    VirtualNode.Beat(periodFrames: 64, sampleRate: 48_000),
    VirtualNode.Beat(periodFrames: 256, sampleRate: 48_000),
    VirtualNode.Beat(periodFrames: 256, sampleRate: 44_100),
    VirtualNode.Beat(periodFrames: 128, sampleRate: 96_000),
  ]

  let network = VirtualNetwork()
  let home = SocketAddress.host(1)
  let away = SocketAddress.host(2)

  private func pair(
    _ beat: VirtualNode.Beat, says tone: Tone = Tone(hertz: 440),
    adjust: (inout IntercomConfiguration) -> Void = { _ in }
  ) throws -> (anna: VirtualNode, bert: VirtualNode) {
    let anna = try VirtualNode("Anna", at: home, beat: VirtualNode.Beat(), adjust: adjust)
    let bert = try VirtualNode("Bert", at: away, beat: beat, adjust: adjust)
    anna.mic = tone.sample
    bert.mic = Tone(hertz: 700, sampleRate: beat.sampleRate).sample
    network.add(anna)
    network.add(bert)
    try anna.meet(bert, network)
    return (anna, bert)
  }

  private func mediaOfLastSecond() -> Int {
    network.media(to: away, since: network.now - VirtualNetwork.second).count
  }

  @Test(arguments: beats)
  func `both hear each other and not themselves`(beat: VirtualNode.Beat) throws {
    let (anna, bert) = try pair(beat)
    network.run(seconds: 4)
    let heardByAnna = anna.heard.suffix(2 * 48_000)
    let heardByBert = bert.heard.suffix(2 * beat.sampleRate)
    // Equal power: the middle is 3 dB down on each side; the swell's mean is 0.6.
    let expected = 0.25 * 0.6 * 0.5.squareRoot()
    #expect(abs(Tone(hertz: 700).level(in: heardByAnna) - expected) < 0.1 * expected)
    #expect(Tone(hertz: 440).level(in: heardByAnna) < 0.01 * expected)
    let rate = beat.sampleRate
    #expect(
      abs(Tone(hertz: 440, sampleRate: rate).level(in: heardByBert) - expected) < 0.1 * expected)
    #expect(Tone(hertz: 700, sampleRate: rate).level(in: heardByBert) < 0.01 * expected)
  }

  /// Each packet captured is a wake-up, 100 a second.
  ///
  /// Decoded at its last moment each packet played would be another, as some are all the same.
  /// Nothing looks at the socket besides.
  @Test(arguments: [64, 128, 256])
  func `what is there is decoded in wake ups that happen anyway`(periodFrames: Int) throws {
    let beat = VirtualNode.Beat(periodFrames: periodFrames)
    let (anna, bert) = try pair(beat) { $0.playoutDelay = .fixed(nanoseconds: 30_000_000) }
    network.run(seconds: 4)
    let before = (bert.wakeUps, anna.wakeUps)
    network.run(seconds: 4)
    #expect(bert.wakeUps - before.0 < 4 * 130)
    #expect(anna.wakeUps - before.1 < 4 * 130)
    let status = try #require(bert.statuses(network).first)
    #expect(status.received > 700 && status.late == 0 && status.concealed == 0)
    #expect(status.underrun == 0)
  }

  /// One for what is said and one for what is heard, wherever the two fall.
  @Test(arguments: [0, 2_000_000, 4_000_000, 6_000_000, 8_000_000] as [Int64])
  func `a talk both ways is two wake ups a packet at most`(phase: Int64) throws {
    let beat = VirtualNode.Beat(periodFrames: 64)
    let anna = try VirtualNode("Anna", at: home, beat: beat)
    let bert = try VirtualNode("Bert", at: away, beat: beat)
    for node in [anna, bert] {
      node.mic = Tone(hertz: 440).sample
      network.add(node)
      network.run(seconds: 1 + Double(phase) * 1e-9)
    }
    try anna.meet(bert, network)
    network.run(seconds: 10)
    let before = (anna.wakeUps, bert.wakeUps)
    network.run(seconds: 10)
    #expect(anna.wakeUps - before.0 < 10 * 205)
    #expect(bert.wakeUps - before.1 < 10 * 205)
    for node in [anna, bert] {
      let status = try #require(node.statuses(network).first)
      #expect(status.received > 1800 && status.late == 0 && status.concealed == 0)
    }
  }

  @Test func `nothing is lost late or missing on a good link`() throws {
    let (anna, bert) = try pair(VirtualNode.Beat())
    network.run(seconds: 10)
    for node in [anna, bert] {
      let status = try #require(node.statuses(network).first)
      #expect(status.received > 900)
      #expect(status.lost == 0 && status.late == 0 && status.concealed == 0)
      #expect(status.underrun == 0)
      #expect(status.isTalking == true)
    }
  }

  /// JACK beats four times a second, or twice; packets come and go as seldom, and have to wait for it.
  @Test(arguments: [
    VirtualNode.Beat(periodFrames: 4096, sampleRate: 16_000),
    VirtualNode.Beat(periodFrames: 4096, sampleRate: 8000),
  ])
  func `a talk goes through at the longest periods`(beat: VirtualNode.Beat) throws {
    let (anna, bert) = try pair(beat) { $0.playoutDelayMaximumNanoseconds = 1_000_000_000 }
    network.run(seconds: 20)
    let before = try #require(bert.statuses(network).first)
    var isBeating = true
    for _ in 0..<8000 {
      network.run(seconds: 0.001)
      isBeating = isBeating && bert.station.playout.beat.isRunning
    }
    #expect(isBeating)
    let after = try #require(bert.statuses(network).first)
    #expect(after.received - before.received > 790 && after.late == before.late)
    #expect(after.concealed == before.concealed && after.underrun == before.underrun)
    let expected = 0.25 * 0.6 * 0.5.squareRoot()
    let rate = beat.sampleRate
    let heard = bert.heard.suffix(4 * rate)
    #expect(
      abs(Tone(hertz: 440, sampleRate: rate).level(in: heard) - expected) < 0.1 * expected)
    // What comes in such bursts is steered about a little, so that the tone is not quite one.
    #expect(Tone(hertz: 700).level(in: anna.heard.suffix(4 * 48_000)) > 0.7 * expected)
  }

  /// By how many frames `heard` is behind `tone` at its end, less whole periods of the tone.
  private func lag(of heard: [Float], behind tone: Tone, periodFrames: Int) -> Int? {
    let frames = heard.count - 4800..<heard.count
    return (0..<periodFrames).max { earlier, later in
      let products = [earlier, later].map { lag in
        frames.reduce(Float(0)) { $0 + heard[$1] * tone.sample($1 - lag) }
      }
      return products[0] < products[1]
    }
  }

  @Test func `after a late loop the sound is back at its time`() throws {
    let (_, bert) = try pair(VirtualNode.Beat(periodFrames: 64), says: Tone(hertz: 480))
    network.run(seconds: 4)
    let before = try #require(lag(of: bert.heard, behind: Tone(hertz: 480), periodFrames: 100))
    bert.heldUpUntilNanoseconds = network.now + 12_000_000
    network.run(seconds: 0.3)
    let status = try #require(bert.statuses(network).first)
    #expect(status.underrun > 0)
    let after = try #require(lag(of: bert.heard, behind: Tone(hertz: 480), periodFrames: 100))
    #expect(abs(after - before) <= 1)
  }

  @Test func `a closed microphone sends next to nothing`() throws {
    let (anna, _) = try pair(VirtualNode.Beat())
    network.run(seconds: 2)
    #expect((99...101).contains(mediaOfLastSecond()))
    anna.station.setTalk(false)
    network.run(seconds: 2)
    #expect((2...3).contains(mediaOfLastSecond()))
    anna.station.setTalk(true)
    network.run(seconds: 2)
    #expect((99...101).contains(mediaOfLastSecond()))
  }

  @Test func `mute pan and gain are heard`() throws {
    let (anna, _) = try pair(VirtualNode.Beat())
    let tone = Tone(hertz: 700)
    network.run(seconds: 3)
    let before = tone.level(in: anna.heard.suffix(48_000))
    try anna.station.roster.change("Bert") { $0.gainDecibels = -6 }
    network.run(seconds: 2)
    let softer = tone.level(in: anna.heard.suffix(48_000))
    #expect(abs(softer / before - 0.501) < 0.05)
    try anna.station.roster.change("Bert") { $0.pan = 1 }
    network.run(seconds: 2)
    #expect(tone.level(in: anna.heard.suffix(48_000)) < 0.01 * before)
    try anna.station.roster.change("Bert") { ($0.pan, $0.isMuted) = (-1, true) }
    network.run(seconds: 2)
    #expect(anna.heard.suffix(48_000).allSatisfy { $0 == 0 })
  }
}
