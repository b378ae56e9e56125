import EventLoop
import Glibc
import Measurement
import TestKit
import Testing
import Voice

@testable import Intercom

/// What a user learns of the own microphone, in virtual time.
@Suite struct MicrophoneTestTests {
  private let network = VirtualNetwork()
  private static let speech = ArtificialSpeech.frames(seconds: 6, sampleRate: 48_000, peak: 1)

  private func node(_ voice: VoiceSettings = VoiceSettings()) throws -> VirtualNode {
    let node = try VirtualNode("Anna", at: .host(1), beat: VirtualNode.Beat()) { $0.voice = voice }
    network.add(node)
    network.run(seconds: 0.5)
    return node
  }

  /// A test from now on, of a microphone that hears this from its beginning on.
  private func measure(
    _ node: VirtualNode, _ mic: @escaping (Int) -> Float
  ) throws -> MicrophoneMeasurement {
    let first = node.heard.count
    node.mic = { mic($0 - first) }
    let probe = MicrophoneProbe(speechSeconds: 5, sampleRate: 48_000)
    let test = MicrophoneTest(
      probe, room: [Float](repeating: 0, count: probe.recordFrames), taps: node.station.taps)
    let number = try node.station.tests.beginMicrophone(test, at: node.station.playout.beat)
    #expect(network.run(until: { node.station.tests.running == nil }, limitSeconds: 9))
    #expect(node.station.tests.takeHeard(number) === test)
    #expect(test.isComplete && node.station.taps.isEmpty)
    return probe.measure(test.record, soundStart: try #require(test.soundStart))
  }

  private static func noise(_ level: Double) -> () -> Float {
    var random = SplitMix64(seed: 3)
    let size = pow(10, level / 20)
    return { Float(size * random.gaussian()) }
  }

  /// One second of quiet, then speech.
  private static func voice(_ gain: Float, _ index: Int) -> Float {
    (48_000..<240_000).contains(index) ? gain * speech[index - 48_000] : 0
  }

  @Test func `a good microphone has level and noise, and nothing else`() throws {
    let noise = Self.noise(-60)
    let found = try measure(try node()) { Self.voice(0.3, $0) + noise() }
    let level = try #require(found.speechLevelDBFS)
    #expect((-28 ... -14).contains(level))
    #expect(abs(found.noiseLevelDBFS + 60) < 2)
    #expect(found.speechSeconds > 1.5)
    #expect(found.clippedPercent < 0.02)
    #expect(found.hum == nil && found.echo == nil)
  }

  @Test func `half the voice is 6 dB less, twice the noise 6 dB more`() throws {
    let (soft, loud) = (Self.noise(-60), Self.noise(-54))
    let node = try node()
    let one = try measure(node) { Self.voice(0.3, $0) + soft() }
    let two = try measure(node) { Self.voice(0.15, $0) + loud() }
    #expect(abs(try #require(one.speechLevelDBFS) - #require(two.speechLevelDBFS) - 6) < 1)
    #expect(abs(two.noiseLevelDBFS - one.noiseLevelDBFS - 6) < 1)
  }

  @Test func `a voice that stands at a ceiling is told, at full scale or below`() throws {
    let node = try node()
    for ceiling: Float in [1, 0.4] {
      let found = try measure(node) {
        min(ceiling, max(-ceiling, Self.voice(3 * ceiling, $0)))
      }
      #expect(found.clippedPercent > 0.1)
    }
  }

  @Test(arguments: [50.0, 60]) func `hum is told with its frequency`(hertz: Double) throws {
    let noise = Self.noise(-66)
    let found = try measure(try node()) { index in
      let phase = 2 * Double.pi * hertz * Double(index) / 48_000
      return Self.voice(0.3, index) + noise() + Float(0.004 * sin(phase) + 0.003 * sin(3 * phase))
    }
    let hum = try #require(found.hum)
    #expect(hum.hertz == hertz)
    #expect(abs(hum.levelDBFS - 10 * log10(0.000_012_5)) < 1.5)
  }

  @Test func `loudspeakers are heard, with how loud and late`() throws {
    let node = try node()
    let first = node.heard.count
    let echoed = try measure(node) { [unowned node] index in
      let place = first + index - 1440
      return node.heard.indices.contains(place) ? 0.25 * node.heard[place] : 0
    }
    let echo = try #require(echoed.echo)
    // A quarter, of one side of the middle.
    #expect(abs(echo.decibels - 20 * log10(0.25 * 0.5.squareRoot())) < 1)
    #expect((29...50).contains(echo.milliseconds))
  }

  @Test func `without speech it says so, and a dead microphone is silent`() throws {
    let found = try measure(try node()) { _ in 0 }
    #expect(found.speechLevelDBFS == nil && found.peakDBFS == -120)
  }

  @Test func `what is monitored is the treated voice, whatever the talk key`() throws {
    var voice = VoiceSettings()
    voice.gain = .fixed(-12)
    let node = try node(voice)
    node.station.setTalk(false)
    let tone = Tone(hertz: 440)
    node.mic = tone.sample
    let monitor = EarMonitor(
      seconds: 3, sampleRate: 48_000, framesPerPacket: 480, taps: node.station.taps)
    _ = try node.station.tests.beginMonitor(monitor, at: node.station.playout.beat)
    network.run(seconds: 2)
    let said = tone.level(in: (0..<48_000).map(tone.sample)) * 0.5.squareRoot()
    #expect(abs(tone.level(in: node.heard.suffix(48_000)) / said - 0.251) < 0.02)
    network.run(seconds: 1.5)
    #expect(node.station.tests.running == nil && node.station.taps.isEmpty)
    #expect(node.heard.suffix(4800).allSatisfy { $0 == 0 })
    #expect(!monitor.hasHowled)
  }

  @Test func `the own voice is not heard twice while it is monitored`() throws {
    let node = try node()
    node.station.microphone.setSidetone(0)
    let tone = Tone(hertz: 440)
    node.mic = tone.sample
    let monitor = EarMonitor(
      seconds: 3, sampleRate: 48_000, framesPerPacket: 480, taps: node.station.taps)
    _ = try node.station.tests.beginMonitor(monitor, at: node.station.playout.beat)
    network.run(seconds: 2)
    let said = tone.level(in: (0..<48_000).map(tone.sample)) * 0.5.squareRoot()
    #expect(abs(tone.level(in: node.heard.suffix(48_000)) / said - 1) < 0.05)
    network.run(seconds: 2.5)
    // The sidetone is back.
    #expect(tone.level(in: node.heard.suffix(48_000)) > 0.9 * said)
  }

  @Test func `a howl ends the monitor`() throws {
    let node = try node()
    node.mic = { [unowned node] _ in
      let heard = 2 * (node.heard.last ?? 0)
      return heard.isFinite ? max(-1, min(1, heard)) + 0.001 : 0
    }
    let monitor = EarMonitor(
      seconds: 20, sampleRate: 48_000, framesPerPacket: 480, taps: node.station.taps)
    _ = try node.station.tests.beginMonitor(monitor, at: node.station.playout.beat)
    #expect(network.run(until: { node.station.tests.running == nil }, limitSeconds: 10))
    #expect(monitor.hasHowled)
  }
}
