import RTP

/// Unwraps the sequence numbers and time stamps of one stream, and judges whether a packet belongs.
struct StreamTimeline {
  /// A packet's place, free of wraps.
  struct Place {
    var sequence: Int64
    var frame: Int64
  }

  /// Further ahead in sequence it is another stream (RFC 3550 §A.1, MAX_DROPOUT).
  private static let greatestDropout = 3000
  /// A packet whose transit time differs more from its predecessor's is from another time line: no
  /// delay or clock explains it that would still be of use.
  private static let greatestTransitStepNanoseconds: Int64 = 2_000_000_000

  let ssrc: SSRC
  private var sequenceNumber: SequenceNumber
  private var timestamp: RTPTimestamp
  private var place: Place
  private var transitNanoseconds: Int64

  /// When the stream's last packet arrived.
  private(set) var seenNanoseconds: Int64

  /// Begins with a stream's first packet, at frame 0.
  ///
  /// Sequence numbers begin high enough for packets that were sent before.
  init(first header: RTPHeader, arrivalNanoseconds: Int64) {
    ssrc = header.ssrc
    sequenceNumber = header.sequenceNumber
    timestamp = header.timestamp
    place = Place(sequence: 1 << 32, frame: 0)
    transitNanoseconds = arrivalNanoseconds
    seenNanoseconds = arrivalNanoseconds
  }

  /// The packet's place, or nil when it does not continue this stream.
  mutating func place(of header: RTPHeader, arrivalNanoseconds: Int64) -> Place? {
    let step = sequenceNumber.distance(to: header.sequenceNumber)
    guard step > -PacketBuffer.slotCount, step < Self.greatestDropout else { return nil }
    let frame = place.frame + Int64(timestamp.distance(to: header.timestamp))
    let transit = arrivalNanoseconds - MediaClock.nanoseconds(frames: frame)
    guard abs(transit - transitNanoseconds) <= Self.greatestTransitStepNanoseconds else {
      return nil
    }
    let result = Place(sequence: place.sequence + Int64(step), frame: frame)
    seenNanoseconds = max(seenNanoseconds, arrivalNanoseconds)
    if step > 0 {
      sequenceNumber = header.sequenceNumber
      timestamp = header.timestamp
      place = result
      transitNanoseconds = transit
    }
    return result
  }
}
