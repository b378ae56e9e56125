import TestKit
import Testing

@testable import Audio

struct OpusDecoderTests {
  @Test
  func `concealment goes on with the tone: no gap, no jump, and the stream after it is whole`()
    throws
  {
    let encoder = try OpusEncoder(application: .lowDelay, bitrateBitsPerSecond: 96_000)
    let decoder = try OpusDecoder()
    let packets = encoder.packets(Signals.sine(hertz: 400, frames: 48_000), framesPerPacket: 240)
    var signal: [Float] = []
    for (index, packet) in packets.enumerated() {
      let isLost = index == 100
      signal += isLost ? decoder.concealment(frames: 240).pcm : decoder.frames(packet).pcm
    }

    let lost = 100 * 240..<101 * 240
    // A jump would be far steeper than the tone's own steepest step.
    let steepest = 0.5 * 2 * Double.pi * 400 / 48_000
    let steps = (lost.lowerBound - 1..<lost.upperBound + 240).map {
      abs(Double(signal[$0 + 1]) - Double(signal[$0]))
    }
    #expect((steps.max() ?? 0) < 3 * steepest)
    #expect(Signals.rms(signal[lost]) > 0.15)
    #expect(
      Signals.signalToNoise(signal[(lost.upperBound + 4800)...], hertz: 400, sampleRate: 48_000)
        > 20)
  }

  @Test
  func `back where it was, the decoder knows nothing of what it made up meanwhile`() throws {
    let encoder = try OpusEncoder(application: .lowDelay, bitrateBitsPerSecond: 32_000)
    let packets = encoder.packets(Signals.voice(frames: 48_000), framesPerPacket: 480)
    let (straight, turned) = (try OpusDecoder(), try OpusDecoder())
    for (index, packet) in packets.enumerated() {
      if index == 30 {
        #expect(turned.keep())
        _ = turned.concealment(frames: 480)
        turned.goBack()
      }
      #expect(turned.frames(packet).pcm == straight.frames(packet).pcm)
    }
  }

  @Test
  func `a long concealment fades to the silence between the words instead of droning on`() throws {
    let encoder = try OpusEncoder(application: .lowDelay, bitrateBitsPerSecond: 96_000)
    let decoder = try OpusDecoder()
    let word = [Float](repeating: 0, count: 24_000) + Signals.voice(frames: 9600)
    _ = decoder.signal(encoder.packets(word, framesPerPacket: 480))
    let first = decoder.concealment(frames: 480).pcm
    for _ in 0..<100 { _ = decoder.concealment(frames: 480) }
    let last = decoder.concealment(frames: 480).pcm
    #expect(Signals.rms(last[...]) < 0.1 * Signals.rms(first[...]))
  }

  @Test(arguments: [120, 240, 360, 480, 600, 960, 2880, 5760, 12_000])
  func `concealment fills the whole span in steps of 2.5 ms`(frames: Int) throws {
    let decoder = try OpusDecoder()
    let result = decoder.concealment(frames: frames)
    #expect(result.code == frames)
    #expect(result.pcm.allSatisfy { $0.isFinite })
  }

  @Test(arguments: [0, 1, 119, 121, 500])
  func `any other length of concealment is a negative result`(frames: Int) throws {
    #expect(try OpusDecoder().concealment(frames: frames).code < 0)
  }

  @Test
  func `an empty payload is malformed, not a loss`() throws {
    #expect(try OpusDecoder().frames([]).code < 0)
  }

  @Test
  func `too little room for the frames is a negative result, and the next packet decodes`() throws {
    let encoder = try OpusEncoder(application: .lowDelay, bitrateBitsPerSecond: 64_000)
    let decoder = try OpusDecoder()
    let packet = encoder.packet(Signals.voice(frames: 960)).bytes
    #expect(decoder.frames(packet, capacityFrames: 959).code < 0)
    #expect(decoder.frames(packet, capacityFrames: 0).code < 0)
    #expect(decoder.frames(packet, capacityFrames: 960).code == 960)
  }

  @Test
  func `after a reset the decoder is as new`() throws {
    let packets = try OpusEncoder(application: .audio, bitrateBitsPerSecond: 64_000)
      .packets(Signals.voice(frames: 9600), framesPerPacket: 480)
    let decoder = try OpusDecoder()
    let first = decoder.signal(packets)
    decoder.reset()
    #expect(decoder.signal(packets) == first)
    #expect(first.contains { abs($0) > 0.05 })
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func
    `10 000 garbage payloads give frames or a negative result, and a good stream plays after them`(
      seed: UInt64
    ) throws
  {
    var generator = SplitMix64(seed: seed)
    let encoder = try OpusEncoder(application: .voip, bitrateBitsPerSecond: 64_000)
    let good = encoder.packets(Signals.sine(hertz: 1000, frames: 48_000), framesPerPacket: 480)
    let decoder = try OpusDecoder()
    var refused = 0
    for round in 0..<10_000 {
      let payload = Self.garbagePayload(good: good, using: &generator)
      let result = decoder.frames(payload)
      #expect(
        result.code < 0 || (1...OpusDecoder.maximumPacketFrames).contains(result.code),
        "round \(round)")
      #expect(result.pcm.allSatisfy { !$0.isNaN }, "round \(round)")
      refused += result.code < 0 ? 1 : 0
    }
    #expect(refused > 100 && refused < 10_000)

    let signal = decoder.signal(good)
    #expect(Signals.signalToNoise(signal[24_000...], hertz: 1000, sampleRate: 48_000) > 20)
  }

  /// Random bytes, a cut packet, or a packet with some bits turned.
  private static func garbagePayload(
    good: [[UInt8]], using generator: inout SplitMix64
  ) -> [UInt8] {
    var packet = good[Int.random(in: 0..<good.count, using: &generator)]
    switch Int.random(in: 0..<3, using: &generator) {
    case 0:
      let count = Int.random(in: 0...1500, using: &generator)
      return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    case 1:
      return Array(packet.prefix(Int.random(in: 0...packet.count, using: &generator)))
    default:
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
        packet[Int.random(in: 0..<packet.count, using: &generator)] ^= bit
      }
      return packet
    }
  }

  @Test(arguments: [
    ("libopus 1.3.1", false), ("libopus 1.4", false), ("libopus 1.5", true),
    ("libopus 1.5.2-fixed", true), ("libopus 2.0", true), ("libopus unknown", false), ("", false),
  ])
  func `better concealment is used where the library has it`(version: String, isDeep: Bool) {
    #expect(OpusDecoder.concealsDeeply(version: version) == isDeep)
  }
}
