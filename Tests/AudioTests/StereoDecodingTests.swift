import Testing

@testable import Audio

struct StereoDecodingTests {
  private static let frames = 480

  /// Left a tone, right nothing; coded as music.
  private static func packets(hertz: Double = 500, channels: Int, count: Int) throws -> [[UInt8]] {
    let encoder = try OpusEncoder(
      application: .audio, bitrateBitsPerSecond: 128_000, channels: channels)
    let tone = Signals.sine(hertz: hertz, frames: count * frames)
    let pcm = channels == 1 ? tone.map { 0.5 * $0 } : tone.flatMap { [$0, 0] }
    return encoder.packets(pcm, framesPerPacket: channels * frames)
  }

  @Test func `mean and side are those of the two channels`() throws {
    let decoder = try OpusDecoder()
    #expect(decoder.openSide())
    var (left, right): ([Float], [Float]) = ([], [])
    for packet in try Self.packets(channels: 2, count: 100) {
      let mean = decoder.frames(packet).pcm
      let side = decoder.side(frames: Self.frames)
      #expect(mean.count == Self.frames && side.count == Self.frames)
      left += zip(mean, side).map { $0 + $1 }
      right += zip(mean, side).map { $0 - $1 }
    }
    let (heard, other) = (Signals.rms(left[4800...]), Signals.rms(right[4800...]))
    #expect(abs(heard / 0.3536 - 1) < 0.02)
    #expect(other < heard / 100, "40 dB")
  }

  @Test func `asked for in the midst of the sound, it does not disturb the mean`() throws {
    let (reference, decoder) = (try OpusDecoder(), try OpusDecoder())
    var worst: Float = 0
    for (index, packet) in try Self.packets(channels: 2, count: 200).enumerated() {
      if index == 50 { #expect(decoder.openSide()) }
      let (wanted, heard) = (reference.frames(packet).pcm, decoder.frames(packet).pcm)
      worst = max(worst, zip(wanted, heard).map { abs($0 - $1) }.max() ?? 0)
    }
    #expect(worst < 0.005, "of 0.25")
    #expect(Signals.rms(decoder.side(frames: Self.frames)[...]) > 0.16)
  }

  @Test func `mono packets have no side, concealed ones the one before, and a new stream begins`()
    throws
  {
    let decoder = try OpusDecoder()
    #expect(decoder.openSide())
    for packet in try Self.packets(channels: 2, count: 20) { _ = decoder.frames(packet) }
    #expect(decoder.keep())
    #expect(decoder.concealment(frames: Self.frames).code == Self.frames)
    #expect(Signals.rms(decoder.side(frames: Self.frames)[...]) > 0.1)
    decoder.goBack()
    for packet in try Self.packets(channels: 1, count: 20) { _ = decoder.frames(packet) }
    #expect(Signals.rms(decoder.side(frames: Self.frames)[...]) < 1e-4)
    #expect(decoder.frames([0xFF, 0xFF]).code < 0 && decoder.side(frames: Self.frames).isEmpty)
    decoder.closeSide()
    _ = decoder.frames(try Self.packets(channels: 2, count: 1)[0])
    #expect(decoder.side(frames: Self.frames).isEmpty)
  }
}
