import RTP

/// Tells the beginning of a new stream from stray packets.
///
/// A packet that does not continue the stream being played makes its source a candidate; the next
/// one in sequence proves it (RFC 3550 §A.1, MIN_SEQUENTIAL of 2). A handful of candidates is kept
/// for at least 150 ms, two packets of the longest kind and some, and others are not looked at
/// meanwhile; not all for the same time, or a flood would find them free all at once. So a flood of forged sources
/// costs no memory, and a real one among them gets its turn by chance:
/// within about a second if one in ten packets is its own.
struct StreamProbation {
  private struct Candidate {
    var isUsed = false
    var ssrc = SSRC(rawValue: 0)
    var nextSequence = SequenceNumber(rawValue: 0)
    var timestamp = RTPTimestamp(rawValue: 0)
    var seenNanoseconds: Int64 = 0
    /// Bit n: the packet n - 32 after the next in sequence came.
    var came: UInt64 = 0

    /// Moves on, or back, to a packet.
    mutating func follow(_ number: SequenceNumber) {
      came >>= nextSequence.distance(to: number) + 1
      came |= 1 << 31
      nextSequence = number.advanced(by: 1)
    }
  }

  /// Between two packets in sequence: one keep-alive interval of 400 ms, lost once, and some.
  private static let greatestStepFrames = MediaClock.framesPerSecond

  private static let keptNanoseconds: Int64 = 150_000_000
  private static let keptStepNanoseconds: Int64 = 17_000_000

  private var candidates = InlineArray<8, Candidate>(repeating: Candidate())

  /// Takes a packet; true when it follows the one before of the same source.
  mutating func proves(_ header: RTPHeader, arrivalNanoseconds: Int64) -> Bool {
    guard let index = slot(for: header.ssrc, arrivalNanoseconds: arrivalNanoseconds) else {
      return false
    }
    let candidate = candidates[index]
    let step = candidate.timestamp.distance(to: header.timestamp)
    let isProven =
      candidate.isUsed && candidate.ssrc == header.ssrc
      && candidate.nextSequence == header.sequenceNumber
      && step > 0 && step <= Self.greatestStepFrames
    if !candidate.isUsed || candidate.ssrc != header.ssrc {
      candidates[index] = Candidate()
      candidates[index].nextSequence = header.sequenceNumber
    }
    candidates[index].isUsed = true
    candidates[index].ssrc = header.ssrc
    candidates[index].follow(header.sequenceNumber)
    candidates[index].timestamp = header.timestamp
    candidates[index].seenNanoseconds = arrivalNanoseconds
    return isProven
  }

  /// The source's own slot, or one that is free by now, or nil.
  private func slot(for ssrc: SSRC, arrivalNanoseconds now: Int64) -> Int? {
    var free: Int?
    for index in candidates.indices {
      guard candidates[index].isUsed else {
        free = free ?? index
        continue
      }
      if candidates[index].ssrc == ssrc { return index }
      let kept = Self.keptNanoseconds + Int64(index) * Self.keptStepNanoseconds
      if now - candidates[index].seenNanoseconds >= kept { free = free ?? index }
    }
    return free
  }

  /// Packets of a source that came before their time: bit n is the packet n + 1 after the newest one, for the next 32.
  func ahead(of ssrc: SSRC) -> UInt64 {
    for index in candidates.indices where candidates[index].isUsed {
      if candidates[index].ssrc == ssrc { return candidates[index].came >> 32 }
    }
    return 0
  }

  /// Forgets all candidates: the choice was made.
  mutating func reset() {
    for index in candidates.indices { candidates[index] = Candidate() }
  }
}
