import Audio
import Testing

struct OpusEncoderTests {
  @Test(arguments: OpusEncoder.frameSizes, OpusApplication.allCases)
  func `a coded tone comes back as the same tone, with every frame size and application`(
    framesPerPacket: Int, application: OpusApplication
  ) throws {
    let encoder = try OpusEncoder(application: application, bitrateBitsPerSecond: 96_000)
    let decoder = try OpusDecoder()
    let packets = encoder.packets(
      Signals.sine(hertz: 1000, frames: 48_000), framesPerPacket: framesPerPacket)
    let signal = decoder.signal(packets)

    #expect(signal.count == 48_000 / framesPerPacket * framesPerPacket)
    let steady = signal[12_000...]
    #expect(Signals.signalToNoise(steady, hertz: 1000, sampleRate: 48_000) > 20)
    #expect(abs(Signals.rms(steady) / (0.5 * 0.5.squareRoot()) - 1) < 0.1)
  }

  @Test(arguments: [(OpusApplication.lowDelay, 120), (.voip, 312), (.audio, 312)])
  func `the decoded sound is late by exactly the look-ahead`(
    application: OpusApplication, frames: Int
  ) throws {
    let encoder = try OpusEncoder(application: application, bitrateBitsPerSecond: 128_000)
    #expect(encoder.lookaheadFrames == frames)

    let signal = Signals.noise(frames: 24_000, seed: 7)
    let decoded = try OpusDecoder().signal(encoder.packets(signal, framesPerPacket: 240))
    #expect(Signals.delayFrames(of: decoded, behind: signal, maximum: 480) == frames)
  }

  @Test(arguments: [24_000, 64_000, 128_000])
  func `the bit rate asked for is what the packets take`(bitsPerSecond: Int) throws {
    let encoder = try OpusEncoder(application: .lowDelay, bitrateBitsPerSecond: bitsPerSecond)
    let packets = encoder.packets(Signals.noise(frames: 96_000, seed: 1), framesPerPacket: 480)
    let measured = packets.reduce(0) { $0 + $1.count } * 8 / 2
    #expect(abs(Double(measured) / Double(bitsPerSecond) - 1) < 0.15, "\(measured) bit/s")
  }

  @Test(arguments: OpusApplication.allCases)
  func `what is kept to 8 kHz has nothing above`(application: OpusApplication) throws {
    let tone = Signals.sine(hertz: 12_000, frames: 48_000)
    let level = { (bandwidth: OpusBandwidth) in
      let encoder = try OpusEncoder(
        application: application, bitrateBitsPerSecond: 64_000, bandwidth: bandwidth)
      let packets = encoder.packets(tone, framesPerPacket: 960)
      return Signals.rms(try OpusDecoder().signal(packets)[24_000...])
    }
    #expect(try level(.full) > 0.3)
    #expect(try level(.wide) < 0.02)
  }

  @Test
  func `a new bit rate holds from the next packet on`() throws {
    let encoder = try OpusEncoder(application: .lowDelay, bitrateBitsPerSecond: 128_000)
    let signal = Signals.noise(frames: 48_000, seed: 2)
    let before = encoder.packets(signal, framesPerPacket: 480).reduce(0) { $0 + $1.count }
    try encoder.setBitrate(bitsPerSecond: 32_000)
    let after = encoder.packets(signal, framesPerPacket: 480).reduce(0) { $0 + $1.count }
    #expect(after * 3 < before)
  }

  @Test(arguments: [-1, 0, 5999, 510_001, .max])
  func `a bit rate out of range is refused with words`(bitsPerSecond: Int) throws {
    let encoder = try OpusEncoder(application: .voip, bitrateBitsPerSecond: 64_000)
    let error = #expect(throws: AudioError.self) {
      try encoder.setBitrate(bitsPerSecond: bitsPerSecond)
    }
    #expect(error?.description.contains("\(bitsPerSecond) (6000...510000 bit/s)") == true)
    #expect(throws: AudioError.self) {
      try OpusEncoder(application: .voip, bitrateBitsPerSecond: bitsPerSecond)
    }
  }

  @Test(arguments: [-1, 11, .max])
  func `a complexity out of range is refused`(complexity: Int) {
    #expect(throws: AudioError.self) {
      try OpusEncoder(
        application: .lowDelay, bitrateBitsPerSecond: 64_000, complexity: complexity)
    }
  }

  @Test(arguments: [0, 1, 119, 121, 2879, 3840, 5760, 100_000])
  func `a wrong number of frames is a negative result`(frames: Int) throws {
    let encoder = try OpusEncoder(application: .audio, bitrateBitsPerSecond: 64_000)
    #expect(encoder.packet([Float](repeating: 0, count: frames)).code < 0)
  }

  @Test
  func `too little room makes a smaller packet, none a negative result`() throws {
    let encoder = try OpusEncoder(application: .lowDelay, bitrateBitsPerSecond: 128_000)
    let pcm = Signals.noise(frames: 480, seed: 3)
    #expect(encoder.packet(pcm, capacityBytes: 0).code < 0)
    let small = encoder.packet(pcm, capacityBytes: 20)
    #expect(small.code > 0 && small.code <= 20)
    #expect(try OpusDecoder().frames(small.bytes).code == 480)
  }

  @Test(
    arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 1e10],
    OpusApplication.allCases)
  func `samples that are no numbers, or far beyond full scale, neither trap nor spoil what follows`(
    sample: Float, application: OpusApplication
  ) throws {
    let encoder = try OpusEncoder(application: application, bitrateBitsPerSecond: 96_000)
    let decoder = try OpusDecoder()
    let strange = encoder.packet([Float](repeating: sample, count: 480))
    #expect(strange.code > 0)
    let bad = decoder.frames(strange.bytes)
    #expect(bad.code == 480)

    let packets = encoder.packets(Signals.sine(hertz: 1000, frames: 48_000), framesPerPacket: 480)
    let signal = decoder.signal(packets)
    #expect(Signals.signalToNoise(signal[24_000...], hertz: 1000, sampleRate: 48_000) > 20)
  }
}
