import RTP

/// Whose packets are played: the stream under way, and what may take over from it.
///
/// A source proves itself with two packets in a row (`StreamProbation`), unless it was announced; the stream under way
/// must have been silent for a while besides, or packets of others would cut it.
struct StreamSource {
  /// What a packet is to the stream under way.
  enum Standing {
    case continues(StreamTimeline.Place)
    /// Another stream begins with it; bit n of `ahead`: the packet n + 1 after it came before it.
    case begins(isProven: Bool, ahead: UInt64)
    case unproven
  }

  private static let leastRestartSilenceNanoseconds: Int64 = 50_000_000
  private static let takeoverSilenceNanoseconds: Int64 = 200_000_000

  private(set) var timeline: StreamTimeline?
  private var probation = StreamProbation()
  private var expectedSSRC: SSRC?
  /// Packets from before the stream was proven are discarded, late ones included.
  private(set) var isProvenFirst = false

  /// Announces an SSRC: its packets take over without probation.
  mutating func expect(_ ssrc: SSRC) { expectedSSRC = ssrc }

  /// Tells what a packet is, where those of the stream last `packetFrames`.
  mutating func standing(
    of header: RTPHeader, arrivalNanoseconds arrival: Int64, packetFrames: Int
  ) -> Standing {
    guard let current = timeline else { return .begins(isProven: false, ahead: 0) }
    let isSameSource = header.ssrc == current.ssrc
    if isSameSource, let place = timeline?.place(of: header, arrivalNanoseconds: arrival) {
      return .continues(place)
    }
    if !isSameSource && header.ssrc == expectedSSRC { return .begins(isProven: false, ahead: 0) }
    let silence =
      isSameSource
      ? Self.restartSilenceNanoseconds(packetFrames) : Self.takeoverSilenceNanoseconds
    let isProven = probation.proves(header, arrivalNanoseconds: arrival)
    guard isProven, arrival - current.seenNanoseconds >= silence else { return .unproven }
    return .begins(isProven: true, ahead: probation.ahead(of: header.ssrc))
  }

  /// A stream of the longest packets is no less safe from strays than one of short ones.
  private static func restartSilenceNanoseconds(_ packetFrames: Int) -> Int64 {
    max(leastRestartSilenceNanoseconds, 2 * MediaClock.nanoseconds(frames: Int64(packetFrames)))
  }

  /// A stream begins with a packet; others prove themselves anew.
  mutating func begin(
    _ header: RTPHeader, arrivalNanoseconds: Int64, reach: Int, isProven: Bool
  ) -> StreamTimeline.Place? {
    probation.reset()
    isProvenFirst = isProven
    timeline = StreamTimeline(
      first: header, arrivalNanoseconds: arrivalNanoseconds, reach: reach)
    return timeline?.place(of: header, arrivalNanoseconds: arrivalNanoseconds)
  }

  /// No stream is under way.
  mutating func reset() {
    timeline = nil
    probation.reset()
  }
}
