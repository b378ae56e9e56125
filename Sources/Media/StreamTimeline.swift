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

  /// Greatest distance from a stream's beginning; beyond it the sender counts as restarted.
  ///
  /// 46 years of sound, or two hours and more of packets that each step two seconds; nanoseconds hold twice as much.
  static let greatestFrame: Int64 = 1 << 46

  /// Where sequence numbers begin here: high enough for packets that were sent before.
  static let firstSequence: Int64 = 1 << 32

  let ssrc: SSRC
  /// How many packets behind the newest one still belongs.
  private let reach: Int
  private var sequenceNumber: SequenceNumber
  private var timestamp: RTPTimestamp
  private var place: Place
  private var transitNanoseconds: Int64
  private let firstNumber: SequenceNumber

  /// When the stream's last packet arrived.
  private(set) var seenNanoseconds: Int64

  /// Begins with a stream's first packet, at frame 0 but in tests.
  init(first header: RTPHeader, arrivalNanoseconds: Int64, reach: Int, firstFrame: Int64 = 0) {
    self.reach = reach
    ssrc = header.ssrc
    firstNumber = header.sequenceNumber
    sequenceNumber = header.sequenceNumber
    timestamp = header.timestamp
    place = Place(sequence: Self.firstSequence, frame: firstFrame)
    transitNanoseconds = arrivalNanoseconds - MediaClock.nanoseconds(frames: firstFrame)
    seenNanoseconds = arrivalNanoseconds
  }

  /// The number on the wire of a packet.
  func sequenceNumber(of sequence: Int64) -> SequenceNumber {
    firstNumber.advanced(by: Int(truncatingIfNeeded: sequence - Self.firstSequence))
  }

  /// The place of a packet sent about when the newest one was, whose sound came otherwise; nil: it is not of
  /// this stream.
  func place(ofRepaired number: SequenceNumber, timestamp repaired: RTPTimestamp) -> Place? {
    let (step, frames) = (
      sequenceNumber.distance(to: number), timestamp.distance(to: repaired)
    )
    guard step != 0, abs(step) < reach, frames.signum() == step.signum() else {
      return nil
    }
    return Place(sequence: place.sequence + Int64(step), frame: place.frame + Int64(frames))
  }

  /// The packet's place, or nil when it does not continue this stream.
  mutating func place(of header: RTPHeader, arrivalNanoseconds: Int64) -> Place? {
    let step = sequenceNumber.distance(to: header.sequenceNumber)
    guard step > -reach, step < Self.greatestDropout else { return nil }
    let frame = place.frame + Int64(timestamp.distance(to: header.timestamp))
    guard frame.magnitude < Self.greatestFrame.magnitude else { return nil }
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
