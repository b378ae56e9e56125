import EventLoop
import Glibc
import Lines
import Measurement
import Media
import RTP
import StatusSchema
import Testing
import Voice

@testable import Intercom

/// What is done to a voice on its way from one node to another's ear.
@Suite struct StationVoiceTests {
  private static let centre = 0.5.squareRoot()
  private let network = VirtualNetwork()
  private let tone = Tone(hertz: 440)

  /// Two who hear each other, of whom the first says something.
  private func pair(
    _ voice: VoiceSettings, sampleRate: Int = 48_000, framesPerPacket: Int = 480
  ) throws -> (anna: VirtualNode, bert: VirtualNode) {
    let nodes = try [("Anna", 1), ("Bert", 2)].map { name, host in
      let node = try VirtualNode(
        name, at: .host(host), beat: VirtualNode.Beat(sampleRate: sampleRate)
      ) {
        $0.framesPerPacket = framesPerPacket
        if host == 1 { $0.voice = voice }
      }
      network.add(node)
      return node
    }
    nodes[0].mic = Tone(hertz: 440, sampleRate: sampleRate).sample
    try nodes[0].meet(nodes[1], network)
    return (nodes[0], nodes[1])
  }

  private func settings(_ texts: [VoiceSettings.Name: String]) throws -> VoiceSettings {
    var settings = VoiceSettings()
    for (name, text) in texts { try settings.set(name, to: text) }
    return settings
  }

  private func change(_ node: VirtualNode, to settings: VoiceSettings) -> Bool {
    let (former, format) = node.station.capture.voice.basis
    return node.station.capture.voice.apply(VoiceChange(from: former, to: settings, format: format))
  }

  private func voice(
    _ node: VirtualNode, _ network: VirtualNetwork? = nil
  ) -> StationSnapshot.Voice {
    node.station.snapshot(nowNanoseconds: (network ?? self.network).now).voice
  }

  /// How loud the tone is in the last second that somebody heard, in parts of what it was when it was said.
  private func level(_ node: VirtualNode, sampleRate: Int = 48_000) -> Double {
    let tone = Tone(hertz: 440, sampleRate: sampleRate)
    return tone.level(in: node.heard.suffix(sampleRate))
      / tone.level(in: (0..<sampleRate).map(tone.sample)) / Self.centre
  }

  @Test func `nothing is done by default`() throws {
    let (anna, bert) = try pair(VoiceSettings())
    network.run(seconds: 3)
    #expect(abs(level(bert) - 1) < 0.05)
    let status = voice(anna)
    #expect(status.delayMilliseconds == 0)
    #expect(status.settings.suppression == .off)
    #expect(status.hearsSpeech == nil && status.problem == nil)
  }

  @Test(arguments: [(48_000, 120), (48_000, 480), (48_000, 2880), (44_100, 480), (96_000, 480)])
  func `a gain is heard at the other end, at any rate and packet length`(
    sampleRate: Int, framesPerPacket: Int
  ) throws {
    let (_, bert) = try pair(
      try settings([.gain: "-6"]), sampleRate: sampleRate, framesPerPacket: framesPerPacket)
    network.run(seconds: 5)
    #expect(abs(level(bert, sampleRate: sampleRate) - 0.5) < 0.05)
  }

  @Test(arguments: [16, 1024], [44_100, 48_000, 96_000])
  func `with all of it on a voice is there, whatever JACK's period and rate`(
    periodFrames: Int, sampleRate: Int
  ) throws {
    let all = try settings([
      .highPass: "80", .echo: "on", .suppress: "light", .gain: "auto", .gate: "voice",
      .vox: "voice",
    ])
    let (anna, bert) = try pair(all, sampleRate: sampleRate, framesPerPacket: 120)
    for node in [anna, bert] {
      node.beat = VirtualNode.Beat(periodFrames: periodFrames, sampleRate: sampleRate)
    }
    let speech = ArtificialSpeech.frames(seconds: 4, sampleRate: sampleRate)
    // Of -36 dBFS, and then of -20 by the gain.
    anna.mic = { 0.1 * speech[$0 % speech.count] }
    network.run(seconds: 8)
    let tail = bert.heard.suffix(3 * sampleRate)
    #expect(tail.allSatisfy { $0.isFinite && abs($0) < 1 })
    let power = tail.reduce(0) { $0 + Double($1) * Double($1) } / Double(tail.count)
    let level = 10 * log10(power) - 20 * log10(Self.centre)
    #expect((-28 ... -16).contains(level), "\(level)")
    #expect(voice(anna).isTransmitting == true && voice(anna).problem == nil)
    // 20 ms of the canceller, 20 of the suppressor, 30 of the VOX, 1 of the limiter at most.
    #expect((60...75).contains(voice(anna).delayMilliseconds))
  }

  @Test func `a change is heard while the tone goes on, and the status tells it`() throws {
    let (anna, bert) = try pair(VoiceSettings())
    network.run(seconds: 2)
    #expect(change(anna, to: try settings([.gain: "-12", .suppress: "light", .vox: "-40"])))
    let status = voice(anna)
    #expect(status.settings.gain == .fixed(-12))
    // Packets of 10 ms are whole blocks: the suppressor's own 10 ms, and the look-back's 30.
    #expect(status.delayMilliseconds == 40)
    #expect(status.isTransmitting == true)
    #expect(change(anna, to: try settings([.gain: "-12"])))
    network.run(seconds: 2)
    #expect(abs(level(bert) - 0.25) < 0.02)
  }

  @Test func `a key that sends the microphone as it is does so, and nothing of the chain`() throws {
    let (anna, bert) = try pair(try settings([.gain: "-12", .vox: "-10"]))
    network.run(seconds: 2)
    #expect(level(bert) < 0.01)
    var routing = LineRouting()
    (routing.talk, routing.isUntreated) = ([.everyone], true)
    anna.station.follow(routing)
    network.run(seconds: 2)
    #expect(abs(level(bert) - 1) < 0.05)
    routing.isUntreated = false
    anna.station.follow(routing)
    network.run(seconds: 2)
    #expect(level(bert) < 0.01)
  }

  @Test func `the way past the chain and back does not click`() throws {
    let desk = VoiceDesk(try settings([.gain: "-6"]), framesPerPacket: 480)
    let empty: [Float] = []
    var heard: [Float] = []
    for packet in 0..<40 {
      desk.isBypassed = (10..<25).contains(packet)
      var frames = (0..<480).map { index in
        Float(0.5 * sin(2 * .pi * 50 * Double(packet * 480 + index) / 48_000))
      }
      var span = frames.mutableSpan
      desk.process(&span, captured: empty.span, channels: 3, isTalking: true)
      heard += frames
    }
    let bends = heard.indices.dropFirst().dropLast().map {
      abs(heard[$0 - 1] - 2 * heard[$0] + heard[$0 + 1])
    }
    #expect((bends.max() ?? 1) < 0.0005)
    func peak(_ range: Range<Int>) -> Float { heard[range].map { abs($0) }.max() ?? 0 }
    #expect(abs(peak(6000..<12_000) - 0.5) < 0.001)
    #expect(abs(peak(14_400..<19_200) - 0.2506) < 0.001)
  }

  @Test func `a shut VOX sends no voice, and a word opens it`() throws {
    let (anna, bert) = try pair(try settings([.vox: "-40"]))
    let tone = tone
    anna.mic = { $0 < 96_000 || $0 > 240_000 ? tone.sample($0) * 0.001 : tone.sample($0) }
    network.run(seconds: 2)
    let quiet = anna.station.capture.counters.payloadOctets
    #expect(!anna.station.capture.isVoiced)
    #expect(bert.heard.suffix(24_000).allSatisfy { abs($0) < 1e-4 })
    network.run(seconds: 2.5)
    #expect(anna.station.capture.isVoiced)
    #expect(abs(level(bert) - 1) < 0.05)
    let talking = anna.station.capture.counters.payloadOctets - quiet
    network.run(seconds: 3)
    #expect(!anna.station.capture.isVoiced)
    let after = anna.station.capture.counters.payloadOctets - quiet - talking
    #expect(after < talking)
    #expect(voice(anna).isTransmitting == false)
  }

  @Test func `what a VOX lets out is sent, however low, and nothing once it is shut`() throws {
    let (anna, bert) = try pair(try settings([.vox: "-80"]))
    let tone = tone
    // -75 dBFS: beneath what counts as a voice without a VOX.
    anna.mic = { (48_000..<144_000).contains($0) ? tone.sample($0) * 0.0008 : 0 }
    network.run(seconds: 2.5)
    #expect(anna.station.capture.isVoiced)
    #expect(bert.heard.suffix(24_000).contains { abs($0) > 5e-5 })
    // Look-back, hold and fade are done 0.8 s after the word.
    network.run(seconds: 1.4)
    #expect(!anna.station.capture.isVoiced)
    #expect(voice(anna).isTransmitting == false)
    let sent = anna.station.capture.counters.payloadOctets
    network.run(seconds: 1)
    #expect(anna.station.capture.counters.payloadOctets - sent <= 3)
  }

  @Test func `the chain listens while the talk key is off, and nothing of it is sent`() throws {
    let (anna, bert) = try pair(try settings([.suppress: "light", .gain: "auto"]))
    anna.station.setTalk(false)
    network.run(seconds: 3)
    #expect(bert.heard.suffix(48_000).allSatisfy { $0 == 0 })
    anna.station.setTalk(true)
    network.run(seconds: 1)
    #expect(bert.heard.suffix(24_000).contains { abs($0) > 0.01 })
  }

  @Test func `who speaks with the key up is told, and no more once it is down or quiet`() throws {
    let (anna, _) = try pair(try settings([.gain: "auto"]))
    let speech = ArtificialSpeech.frames(seconds: 6, sampleRate: 48_000)
    func isTold() -> Bool? { voice(anna).isTalkingMuted }
    anna.mic = { speech[$0 % speech.count] }
    network.run(seconds: 3)
    #expect(isTold() == false)
    anna.station.setTalk(false)
    network.run(seconds: 0.3)
    #expect(isTold() == false)
    network.run(seconds: 2)
    #expect(isTold() == true)
    anna.station.setTalk(true)
    network.run(seconds: 0.1)
    #expect(isTold() == false)
    anna.station.setTalk(false)
    network.run(seconds: 2)
    #expect(isTold() == true)
    anna.mic = tone.sample
    network.run(seconds: 3)
    #expect(isTold() == false)
    #expect(change(anna, to: VoiceSettings()))
    #expect(isTold() == nil)
  }

  @Test(arguments: [(48_000, 120), (48_000, 480), (44_100, 480)])
  func `who listens on loudspeakers sends nobody his own words back`(
    sampleRate: Int, framesPerPacket: Int
  ) throws {
    func echo(_ word: String) throws -> Double {
      let network = VirtualNetwork()
      let nodes = try [("Anna", 1), ("Bert", 2)].map { name, host in
        let node = try VirtualNode(
          name, at: .host(host), beat: VirtualNode.Beat(sampleRate: sampleRate)
        ) {
          $0.framesPerPacket = framesPerPacket
          if host == 1 { $0.voice = try! settings([.echo: word]) }
        }
        network.add(node)
        return node
      }
      let (anna, bert) = (nodes[0], nodes[1])
      // What Anna hears is in her microphone a little later; Bert says syllables of noise.
      anna.mic = { [unowned anna] index in
        let late = index - 1500
        return anna.heard.indices.contains(late) ? 0.5 * anna.heard[late] : 0
      }
      var noise = SeededGenerator(seed: 8)
      bert.mic = { index in
        let syllable = Float(sin(Double(index) / Double(sampleRate) * 2 * .pi * 3))
        return max(0, syllable) * Float.random(in: -0.2...0.2, using: &noise)
      }
      try anna.meet(bert, network)
      network.run(seconds: 6)
      #expect(voice(anna, network).isEchoFound == (word == "off" ? nil : true))
      #expect((voice(anna, network).echoEngine == nil) == (word == "off"))
      let tail = bert.heard.suffix(2 * sampleRate)
      return 10 * log10(tail.reduce(1e-12) { $0 + Double($1) * Double($1) } / Double(tail.count))
    }
    let untreated = try echo("off")
    #expect(untreated > -50)
    for word in ["on", "auto"] {
      let treated = try echo(word)
      #expect(treated < untreated - 20, "\(word)")
    }
  }

  @Test func `another rate of JACK takes the settings along`() throws {
    let (anna, bert) = try pair(try settings([.gain: "-6", .limit: "-1", .vox: "-40"]))
    network.run(seconds: 2)
    anna.beat = nil
    anna.mic = Tone(hertz: 440, sampleRate: 44_100).sample
    network.run(seconds: 0.5)
    anna.beat = VirtualNode.Beat(sampleRate: 44_100)
    network.run(seconds: 3)
    #expect(anna.station.capture.voice.basis.format.sampleRate == 44_100)
    #expect(abs(level(bert) - 0.5) < 0.05)
  }
}
