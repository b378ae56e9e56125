import Foundation
import TestKit
import Testing

@testable import Voice

/// The echo canceller, by each engine that is there: loudspeakers, a room, somebody near.
@Suite struct EchoTests {
  /// Which engine takes echo out; AEC3 where `COMLINK_AEC3` names a folder with it.
  enum Engine: CaseIterable {
    case own, aec3

    static var present: [Self] {
      let hasAEC3 = ProcessInfo.processInfo.environment[AEC3Library.variable] != nil
      return hasAEC3 ? allCases : [.own]
    }
  }

  /// What is played, and a room that makes echo of it.
  private struct Scene {
    var left: [Float]
    var right: [Float]
    var echo: [Float]

    /// Two loudspeakers in a room of 100 ms; `balance` of the sound is left.
    init(seconds: Double, delay: Double = 0.02, balance: Float = 0.5, rate: Int = 48_000) {
      let far = Sounds.speech(-26, seconds: seconds, rate: rate)
      left = far.map { 2 * balance * $0 }
      right = far.map { 2 * (1 - balance) * $0 }
      echo = [Float](repeating: 0, count: far.count)
      // Reflections in place of a whole room: each convolution would take seconds.
      var random = SplitMix64(seed: 5)
      for reflection in 0..<60 {
        let late = Int((delay + 0.1 * Double(reflection) / 60) * Double(rate))
        let size = Float(0.4 * exp(-Double(reflection) / 12) * random.gaussian())
        let other = Float(0.4 * exp(-Double(reflection) / 12) * random.gaussian())
        guard late < far.count else { continue }
        for index in late..<far.count {
          echo[index] += size * left[index - late] + other * right[index - late]
        }
      }
    }
  }

  private func chain(
    _ mode: String = "on", _ engine: Engine = .own, rate: Int = 48_000, frame: Int = 480
  ) throws -> VoiceChain {
    let chain = VoiceChain(
      try VoiceSettings([.echo: engine == .aec3 ? "aec3" : mode]),
      format: VoiceFormat(sampleRate: rate, frameFrames: frame))
    #expect(chain.problem == nil)
    #expect(chain.echoEngine == (engine == .own ? "own" : "AEC3"))
    return chain
  }

  /// Somebody near who has nothing in common with what is played, as artificial speech would have its pitch.
  private func syllables(seconds: Double) -> [Float] {
    Sounds.noise(-26, seconds: seconds).enumerated().map { index, sample in
      sample * max(0, Float(sin(Double(index) / 48_000 * 2 * .pi * 3)))
    }
  }

  private func treat(
    _ chain: VoiceChain, _ sound: [Float], _ scene: Scene, frame: Int = 480
  ) -> [Float] {
    var heard = sound
    var start = 0
    while start < sound.count {
      let end = min(start + frame, sound.count)
      var all = heard.mutableSpan
      var piece = all._mutatingExtracting(start..<end)
      chain.process(
        &piece, left: scene.left.span.extracting(start..<end),
        right: scene.right.span.extracting(start..<end))
      start = end
    }
    return heard
  }

  @Test(
    arguments: Engine.present,
    [(48_000, 480, 0.5), (48_000, 120, 0.8), (44_100, 1, 0.5), (96_000, 960, 0.2)])
  func `echo is gone after a second, from one loudspeaker or two, at any rate`(
    engine: Engine, format: (rate: Int, frame: Int, balance: Double)
  ) throws {
    let (rate, frame) = (format.rate, format.frame)
    let scene = Scene(seconds: 4, balance: Float(format.balance), rate: rate)
    let chain = try chain("on", engine, rate: rate, frame: frame)
    let heard = treat(chain, scene.echo, scene, frame: max(frame, 128))
    let lower = Sounds.level(scene.echo.suffix(3 * rate)) - Sounds.level(heard.suffix(3 * rate))
    #expect(lower > 25)
    #expect(chain.isEchoFound == true)
  }

  @Test(arguments: Engine.present)
  func `somebody near is heard while the far end talks`(engine: Engine) throws {
    let scene = Scene(seconds: 8)
    let near = [Float](repeating: 0, count: 4 * 48_000) + Sounds.speech(-26, seconds: 4).reversed()
    let chain = try chain("on", engine)
    let heard = treat(chain, zip(scene.echo, near).map { $0 + $1 }, scene)
    let delay = chain.delayFrames
    let (wanted, got) = (near.suffix(96_000), heard.dropFirst(delay).suffix(96_000 - delay))
    var (both, one, other): (Float, Float, Float) = (0, 0, 0)
    for (a, b) in zip(wanted, got) {
      (both, one, other) = (both + a * b, one + a * a, other + b * b)
    }
    // AEC3 lowers who is near while anything is played.
    #expect(both / (one * other).squareRoot() > (engine == .own ? 0.9 : 0.8))
    #expect(abs(Sounds.level(got) - Sounds.level(wanted)) < 2)
  }

  @Test(arguments: Engine.present)
  func `an echo that is 0,3 s late is found`(engine: Engine) throws {
    let scene = Scene(seconds: 8, delay: 0.3)
    let heard = treat(try chain("on", engine), scene.echo, scene)
    let lower = Sounds.level(scene.echo.suffix(96_000)) - Sounds.level(heard.suffix(96_000))
    #expect(lower > 20)
  }

  @Test(arguments: Engine.present)
  func `an echo is gone again a second after the room has changed`(engine: Engine) throws {
    var scene = Scene(seconds: 9)
    let rate = 48_000
    // The microphone is somewhere else: other reflections, later.
    let other = Scene(seconds: 9, delay: 0.035, balance: 0.3)
    for index in 5 * rate..<scene.echo.count { scene.echo[index] = -other.echo[index] }
    let heard = treat(try chain("on", engine), scene.echo, scene)
    let (after, left) = (scene.echo[6 * rate..<8 * rate], heard[6 * rate..<8 * rate])
    #expect(Sounds.level(after) - Sounds.level(left) > 25)
  }

  @Test func `auto leaves a headset as it is, bit by bit, and finds a loudspeaker`() throws {
    let scene = Scene(seconds: 6)
    let chain = try chain("auto")
    let voice = syllables(seconds: 6)
    let heard = treat(chain, voice, scene)
    let late = chain.delayFrames
    let isSame = heard.dropFirst(late).elementsEqual(voice.dropLast(late))
    #expect(isSame)
    #expect(chain.isEchoFound == false)
    _ = treat(chain, scene.echo, scene)
    #expect(chain.isEchoFound == true)
  }

  @Test(arguments: Engine.present)
  func `on where there is no echo does nothing to a voice after some seconds`(
    engine: Engine
  ) throws {
    let scene = Scene(seconds: 10)
    let chain = try chain("on", engine)
    let voice = syllables(seconds: 10)
    let heard = treat(chain, voice, scene)
    let late = chain.delayFrames
    let isSame = heard.suffix(48_000).elementsEqual(voice.dropLast(late).suffix(48_000))
    #expect(isSame)
  }

  /// What becomes of what is played after 3 s.
  enum Mishap: CaseIterable {
    case stops, jumps, garbage
  }

  @Test(arguments: Engine.present, Mishap.allCases)
  func `loudspeakers that fall silent or jump, or garbage in their place, do a voice no harm`(
    engine: Engine, mishap: Mishap
  ) throws {
    var scene = Scene(seconds: 9)
    let begin = 3 * 48_000
    var random = SplitMix64(seed: 4)
    for index in begin..<scene.left.count {
      switch mishap {
      case .stops:
        (scene.left[index], scene.right[index], scene.echo[index]) = (0, 0, 0)
      case .jumps:
        let later = min(index + 2000, scene.left.count - 1)
        (scene.left[index], scene.right[index]) = (scene.left[later], scene.right[later])
      case .garbage:
        scene.left[index] = Float(bitPattern: UInt32(random.next() >> 32))
        (scene.right[index], scene.echo[index]) = (.nan, 0)
      }
    }
    let near = [Float](repeating: 0, count: 7 * 48_000) + Sounds.speech(-26, seconds: 2).reversed()
    let heard = treat(try chain("on", engine), zip(scene.echo, near).map { $0 + $1 }, scene)
    let isSound = heard.allSatisfy { $0.isFinite && abs($0) < 8 }
    #expect(isSound)
    let error = abs(Sounds.level(heard.suffix(72_000)) - Sounds.level(near.suffix(72_000)))
    #expect(error < (engine == .own ? 3 : 6), "\(mishap)")
  }
}
