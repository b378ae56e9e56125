import Media
import RTP
import TestKit

/// Makes datagrams of a stream by hand and gives them to a peer stream at chosen times.
struct PacketForge {
  var ssrc = SSRC(rawValue: 1)
  var firstSequence = SequenceNumber(rawValue: 65_530)
  var firstTimestamp = RTPTimestamp(rawValue: .max - 300)
  var durationFrames = 120
  /// Whether packets of 40 and 60 ms tell of those before them.
  var hasFEC = false

  /// The datagram `index` packets after the first.
  func datagram(_ index: Int, payload: [UInt8]? = nil, marker: Bool = false) -> [UInt8] {
    let header = RTPHeader(
      marker: marker, payloadType: 111, sequenceNumber: firstSequence.advanced(by: index),
      timestamp: firstTimestamp.advanced(by: index * durationFrames), ssrc: ssrc)
    var bytes = [UInt8](repeating: 0, count: header.byteCount)
    var octets = bytes.mutableSpan
    var span = unsafe octets.mutableBytes
    _ = header.write(into: &span)
    return bytes + (payload ?? tone(index))
  }

  /// A payload of `ToneCodec`.
  func tone(_ index: Int) -> [UInt8] {
    var payload = [
      ToneCodec.tableOfContents(frames: durationFrames),
      ToneCodec.flags(frames: durationFrames, hasFEC: hasFEC),
    ]
    let start = Int64(index * durationFrames)
    for shift in 0..<8 { payload.append(UInt8(truncatingIfNeeded: start >> (8 * shift))) }
    payload += [UInt8](repeating: 0, count: 8)
    for shift in 0..<4 {
      payload.append(UInt8(truncatingIfNeeded: Float(0.5).bitPattern >> (8 * shift)))
    }
    return payload
  }
}

/// A peer stream with a clock, driven packet by packet; time 0 is the first packet's media time.
final class StreamProbe {
  let stream: PeerStream
  let decoder = ToneCodec.Decoder()
  private var rendered = [Float](repeating: 0, count: PeerStream.maximumRenderFrames)
  private(set) var playoutNanoseconds: Int64 = 0

  init(_ configuration: PeerStreamConfiguration = PeerStreamConfiguration()) {
    stream = PeerStream(
      configuration: configuration, decoder: decoder, resampler: LinearResampler())
  }

  var statistics: PeerStreamStatistics { stream.statistics }

  func receive(_ datagram: [UInt8], atMilliseconds time: Double) {
    guard let packet = try? RTPPacket(parsing: unsafe datagram.span.bytes) else { return }
    stream.receive(
      packet, bytes: unsafe datagram.span.bytes, arrivalNanoseconds: Int64(time * 1e6))
  }

  /// Renders continuously up to a moment; pauses pass in steps of 1 ms.
  func play(untilMilliseconds time: Double) {
    while playoutNanoseconds < Int64(time * 1e6) {
      let frames = renderOnce()
      playoutNanoseconds += frames > 0 ? Int64(frames) * 62_500 / 3 : 1_000_000
    }
  }

  func renderOnce() -> Int {
    Self.render(stream, into: &rendered, atNanoseconds: playoutNanoseconds)
  }

  private static func render(
    _ stream: PeerStream, into pcm: inout [Float], atNanoseconds now: Int64
  ) -> Int {
    var span = pcm.mutableSpan
    return stream.render(into: &span, dueNanoseconds: now, playoutNanoseconds: now)
  }
}
