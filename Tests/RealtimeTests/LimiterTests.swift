import CRealtime
import Foundation
import TestKit
import Testing

@Suite("Limiter")
struct LimiterTests {
  /// A peer hard left, fully faded in, so that the left mix is its sound and nothing else.
  private func makeEngine(gain: Float = 1) throws -> TestEngine {
    let engine = try TestEngine()
    unsafe rt_peer_set_pan(engine.handle, 0, -1)
    unsafe rt_peer_set_gain(engine.handle, 0, gain)
    engine.sound(0, level: 0)
    return engine
  }

  @Test
  func `below -1 dBFS the mix passes bit for bit`() throws {
    let engine = try makeEngine()
    var random = SplitMix64(seed: 7)
    let noise = (0..<4_096).map { _ in Float.random(in: -0.89...0.89, using: &random) }
    engine.write(noise, to: 0)
    #expect(engine.run(periods: 64).left == noise)
  }

  @Test(arguments: [1, 2, 10, 1_000] as [Float], [0, 220, 1_000, 11_900] as [Float])
  func `nothing comes above full scale, from the first loud frame on`(
    amplitude: Float, hertz: Float
  ) throws {
    let engine = try makeEngine(gain: 8)
    let tone = (0..<9_600).map { amplitude * cos(2 * .pi * hertz * Float($0) / 48_000) }
    engine.write(tone, to: 0)
    let loudest = engine.run(periods: 150).left.reduce(0) { max($0, abs($1)) }
    #expect(loudest < 1)
    #expect(loudest > 0.891)
  }

  @Test
  func `both sides are turned down alike`() throws {
    let engine = try TestEngine()
    for (slot, pan) in [(0, -1), (1, 1)] as [(rt_slot, Float)] {
      unsafe rt_peer_set_pan(engine.handle, slot, pan)
      #expect(unsafe rt_peer_attach(engine.handle, slot) == 0)
    }
    engine.write([Float](repeating: 4, count: 640), to: 0)
    engine.write([Float](repeating: 0.4, count: 640), to: 1)
    let output = engine.run(periods: 10)
    #expect(abs(output.left[639] / output.right[639] - 10) < 1e-3)
  }

  @Test
  func `it lets go in the time of its release and is then transparent again`() throws {
    let engine = try makeEngine()
    engine.write([Float](repeating: 4, count: 640), to: 0)
    engine.run(periods: 10)
    let quiet = [Float](repeating: 0.25, count: 64)
    var output: [Float] = []
    for _ in 0..<1_500 {
      engine.write(quiet, to: 0)
      output += engine.run().left
    }
    // After one time constant of 100 ms, 1/e of the reduction is left.
    let reduction = 1 - output[4_799] / 0.25
    let atFirst = 1 - output[0] / 0.25
    #expect(abs(reduction / atFirst - 1 / Float(M_E)) < 0.01)
    #expect(output.last == 0.25)
    #expect(zip(output, output.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @Test
  func `louder in is never softer out`() throws {
    var before: Float = 0
    for level in stride(from: Float(0.8), to: 3, by: 0.05) {
      let engine = try makeEngine()
      engine.write([Float](repeating: level, count: 640), to: 0)
      let after = try #require(engine.run(periods: 10).left.last)
      #expect(after > before, "at \(level)")
      before = after
    }
  }
}
