import Media
import RTP
import TestKit

/// A talker in a room, a listener, and a link that fails for a while; what is heard, sample by sample.
struct GapCall {
  /// Mean square of the room: -55 dBov.
  static let roomMeanSquare: Float = 3.162_278e-6
  /// The link fails 3 s after the first packet, and some packets later where a test wants another phase.
  static let gapStartFrame = 144_000

  /// What is said.
  let speech: [Float]
  /// What is heard; the playout delay later.
  let heard: [Float]
  /// Where in `heard` the gap begins and ends.
  let gap: Range<Int>
  let statistics: PeerStreamStatistics

  /// Makes the call.
  ///
  /// - Parameter notice: the packet in which the gap ends says that nobody talks.
  init(
    gapMilliseconds: Int, laterPackets: Int = 0, afterMilliseconds: Int = 500, notice: Bool = false
  ) {
    let start = Self.gapStartFrame + laterPackets * WaveformCodec.frames
    let gapFrames = gapMilliseconds * 48 / WaveformCodec.frames * WaveformCodec.frames
    let end = start + gapFrames + afterMilliseconds * 48
    speech = Self.speech(frames: end)
    let stream = PeerStream(
      configuration: PeerStreamConfiguration(), decoder: WaveformCodec.Decoder(),
      resampler: LinearResampler())
    var forge = PacketForge()
    forge.durationFrames = WaveformCodec.frames
    var heard: [Float] = []
    var rendered = [Float](repeating: 0, count: PeerStream.maximumRenderFrames)
    for frame in stride(from: 0, to: end - WaveformCodec.frames, by: WaveformCodec.frames) {
      // A packet is there when its last frame was captured, 1 ms later on the other side.
      let arrival = Int64(frame + WaveformCodec.frames) * 62_500 / 3 + 1_000_000
      let isLost = (start..<start + gapFrames).contains(frame)
      let isNotice = notice && frame >= start + gapFrames
      if !isLost && !(isNotice && frame > start + gapFrames) {
        let payload =
          isNotice
          ? [ToneCodec.tableOfContents(frames: WaveformCodec.frames)]
          : WaveformCodec.payload(speech[frame..<frame + WaveformCodec.frames])
        Self.give(
          forge.datagram(frame / WaveformCodec.frames, payload: payload), to: stream, arrival)
      }
      Self.render(stream, from: &rendered, to: &heard, until: arrival)
    }
    self.heard = heard
    statistics = stream.statistics
    // The first frame to be heard is the first that was said.
    let delay = heard.firstIndex { $0 != 0 } ?? 0
    gap = start + delay..<start + delay + gapFrames
  }

  /// Mean square of 10 ms of what was heard, so many frames into the gap.
  func meanSquare(_ frame: Int) -> Float {
    let first = gap.lowerBound + frame
    return Self.meanSquare(heard[first..<first + 480])
  }

  /// Mean square of what is there.
  static func meanSquare(_ pcm: some Collection<Float>) -> Float {
    pcm.reduce(0) { $0 + $1 * $1 } / Float(max(pcm.count, 1))
  }

  /// The largest difference of neighbouring samples.
  static func greatestStep(_ pcm: some Collection<Float>) -> Float {
    zip(pcm, pcm.dropFirst()).reduce(0) { max($0, abs($1.1 - $1.0)) }
  }

  private static func give(_ datagram: [UInt8], to stream: PeerStream, _ arrival: Int64) {
    guard let packet = try? RTPPacket(parsing: unsafe datagram.span.bytes) else { return }
    stream.receive(packet, bytes: unsafe datagram.span.bytes, arrivalNanoseconds: arrival)
  }

  /// Renders up to a moment; pauses pass frame by frame.
  private static func render(
    _ stream: PeerStream, from rendered: inout [Float], to heard: inout [Float], until end: Int64
  ) {
    while Int64(heard.count) * 62_500 / 3 < end {
      let now = Int64(heard.count) * 62_500 / 3
      var span = rendered.mutableSpan
      let frames = stream.render(into: &span, dueNanoseconds: now, playoutNanoseconds: now)
      heard += frames > 0 ? Array(rendered[..<frames]) : [0]
    }
  }

  /// Vowels of 120 Hz and five harmonics, four a second, with pauses in which only the room is heard.
  private static func speech(frames: Int) -> [Float] {
    var random = SplitMix64(seed: 3)
    let gain = roomMeanSquare.squareRoot()
    return (0..<frames).map { index in
      let place = index % 48_000
      let isVoiced = place < 33_600
      let syllable = abs(ToneCodec.tone(at: Int64(place) * 128 / 6000))
      var vowel: Float = 0
      for harmonic in 1...6 {
        // The table has 256 values a period: 400 frames of it at 120 Hz.
        vowel += ToneCodec.tone(at: Int64(index * harmonic * 256 / 400)) / Float(harmonic)
      }
      return (isVoiced ? 0.25 * syllable * vowel : 0) + gain * Float(random.gaussian())
    }
  }
}
