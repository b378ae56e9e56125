import TestKit
import Testing

@testable import Audio

/// In-band FEC: what a packet tells of the one before it.
struct OpusRecoveryTests {
  static let frames = 1920

  /// A second and a half of a voice in packets of 40 ms, of the speech mode unless told otherwise.
  private static func packets(
    _ pcm: [Float] = Signals.voice(frames: 72_000), expectedLoss: Int,
    application: OpusApplication = .voip, framesPerPacket: Int = frames
  ) throws -> [[UInt8]] {
    let encoder = try OpusEncoder(
      application: application, bitrateBitsPerSecond: 24_000, complexity: 4, bandwidth: .wide)
    try encoder.setExpectedLoss(percent: expectedLoss)
    return encoder.packets(pcm, framesPerPacket: framesPerPacket)
  }

  /// Of what the lost packet sounded like, how much differs: 0 nothing, 1 as much as silence would.
  private static func error(_ heard: ArraySlice<Float>, _ wanted: ArraySlice<Float>) -> Double {
    let difference = zip(heard, wanted).map { $0 - $1 }
    return Signals.rms(difference[...]) / Signals.rms(wanted)
  }

  @Test
  func `a lost packet comes back from the one after it, closer than concealment gets`() throws {
    // What is lost is where the pitch changes: nothing that could be guessed.
    let low = Signals.voice(frames: 38_400)
    let high = (0..<38_400).map { low[($0 * 3 / 2) % 38_400] }
    let packets = try Self.packets(low + high, expectedLoss: 25)
    let whole = try OpusDecoder().signal(packets)
    let missing = 20
    let span = missing * Self.frames..<(missing + 1) * Self.frames
    let lossy = { (fill: (OpusDecoder) -> [Float]) -> [Float] in
      let decoder = try OpusDecoder()
      let before = decoder.signal(Array(packets[..<missing]))
      return before + fill(decoder) + decoder.signal(Array(packets[(missing + 1)...]))
    }
    let recovered = try lossy { decoder in
      let result = decoder.recovery(from: packets[missing + 1], frames: Self.frames)
      #expect(result.code == Self.frames)
      return result.pcm
    }
    let concealed = try lossy { $0.concealment(frames: Self.frames).pcm }
    #expect(recovered.count == whole.count)
    #expect(Self.error(recovered[span], whole[span]) < 0.7)
    #expect(
      Self.error(recovered[span], whole[span]) < 0.7 * Self.error(concealed[span], whole[span]))
    let after = span.upperBound + 2 * Self.frames
    #expect(Self.error(recovered[after...], whole[after...]) < 0.3)
  }

  @Test
  func `where a loss is expected packets tell of those before, not so in the low-delay mode`()
    throws
  {
    // RFC 6716 §4.2.3: behind the activity flags of two SILK frames.
    let isTelling = { (packet: [UInt8]) in packet[0] < 0x80 && packet[1] & 0x20 != 0 }
    #expect(try !Self.packets(expectedLoss: 0).contains(where: isTelling))
    #expect(try Self.packets(expectedLoss: 7).count(where: isTelling) > 20)
    let music = try Self.packets(expectedLoss: 7, application: .lowDelay, framesPerPacket: 960)
    #expect(music.allSatisfy { $0[0] >= 0x80 })
  }

  @Test(arguments: [0, 7, 25])
  func `the bit rate is for both together`(percent: Int) throws {
    let packets = try Self.packets(expectedLoss: percent)
    let octets = packets.reduce(0) { $0 + $1.count }
    #expect(octets * 8 * 25 / packets.count < 24_000 * 105 / 100)
  }

  @Test
  func `a packet of the low-delay mode, or after one, recovers nothing, and the decoder goes on`()
    throws
  {
    let speech = try Self.packets(expectedLoss: 25)
    let music = try Self.packets(expectedLoss: 25, application: .lowDelay, framesPerPacket: 960)
    let decoder = try OpusDecoder()
    #expect(decoder.frames(speech[0]).code == Self.frames)
    #expect(decoder.recovery(from: music[1], frames: 960).code == 0)
    #expect(decoder.frames(music[1]).code == 960)
    #expect(decoder.recovery(from: speech[2], frames: Self.frames).code == 0)
    #expect(decoder.frames(speech[2]).code == Self.frames)
    #expect(decoder.recovery(from: speech[4], frames: Self.frames).code == Self.frames)
  }

  @Test(arguments: [0, 1, 119])
  func `an empty payload, or a length that is none, is a negative result`(frames: Int) throws {
    let packets = try Self.packets(expectedLoss: 25)
    #expect(try OpusDecoder().recovery(from: [], frames: 960).code < 0)
    #expect(try OpusDecoder().recovery(from: packets[2], frames: frames).code < 0)
  }

  @Test(arguments: [-1, 101, .max])
  func `an expected loss that is none is refused with words`(percent: Int) throws {
    let encoder = try OpusEncoder(application: .voip, bitrateBitsPerSecond: 24_000)
    let error = #expect(throws: AudioError.self) { try encoder.setExpectedLoss(percent: percent) }
    #expect(error?.description.contains("\(percent) % (0 to 100)") == true)
  }

  @Test(arguments: [UInt64(4), 5])
  func `garbage recovers something or nothing, and a good stream plays after it`(seed: UInt64)
    throws
  {
    var generator = SplitMix64(seed: seed)
    let good = try Self.packets(Signals.sine(hertz: 1000, frames: 96_000), expectedLoss: 25)
    let decoder = try OpusDecoder()
    for round in 0..<5000 {
      var payload = good[Int.random(in: 0..<good.count, using: &generator)]
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let place = Int.random(in: 0..<payload.count, using: &generator)
        payload[place] = .random(in: 0...255, using: &generator)
      }
      payload = Array(payload.prefix(Int.random(in: 1...payload.count, using: &generator)))
      let frames = [480, 960, 1920, 2880].randomElement(using: &generator) ?? 480
      let result = decoder.recovery(from: payload, frames: frames)
      #expect(result.code <= frames, "round \(round)")
      #expect(result.code <= 0 || result.pcm.allSatisfy { !$0.isNaN }, "round \(round)")
      if round % 2 == 0 { _ = decoder.frames(payload) }
    }
    let signal = decoder.signal(good)
    #expect(Signals.signalToNoise(signal[48_000...], hertz: 1000, sampleRate: 48_000) > 15)
  }
}
