public import RTP

/// Counts how one RTP stream is received: sequence validation (RFC 3550 A.1), losses (A.3) and
/// interarrival jitter (A.8).
///
/// States: on probation, until `minimumSequential` packets came in sequence; valid; and valid with
/// a suspicion, where one packet jumped far and its successor would prove a restart. Any thread,
/// one at a time; allocates nothing, never traps on what the network sends.
public struct ReceptionStatistics: Sendable {
  /// Sequence jumps below this are losses (MAX_DROPOUT of A.1).
  private static let maximumDropout = 3000
  /// Packets at most this late are reordered, not a restart (MAX_MISORDER of A.1).
  private static let maximumMisorder = 100
  /// Packets in sequence that make a source valid (MIN_SEQUENTIAL of A.1).
  private static let minimumSequential = 2

  /// Packets counted since the source became valid or restarted, duplicates included.
  public private(set) var receivedPackets = 0
  /// How often the sequence restarted.
  public private(set) var restarts = 0

  private let clockRate: Int64
  private var highest: SequenceNumber?
  private var expectedAfterJump: SequenceNumber?
  private var probation = Self.minimumSequential
  private var baseSequence = 0
  private var extendedHighest = 0
  /// Packets that were sent to others only.
  private var excusedPackets = 0
  private var expectedPrior = 0
  private var receivedPrior = 0
  private var transit: UInt32?
  private var scaledJitter: UInt64 = 0

  /// Starts on probation.
  ///
  /// `clockRate` is the stream's media clock in Hz, above 0.
  public init(clockRate: Int = 48_000) {
    precondition(clockRate > 0)
    self.clockRate = Int64(clockRate)
  }

  /// Whether a valid source is being received.
  public var isValid: Bool { highest != nil && probation == 0 }

  /// Packets that the sequence numbers say were sent (A.3).
  public var expectedPackets: Int {
    isValid ? extendedHighest - baseSequence + 1 - excusedPackets : 0
  }

  /// Packets lost since the source became valid; negative when duplicates outnumber losses.
  public var cumulativeLost: Int { expectedPackets - receivedPackets }

  /// The highest sequence number received, with the count of its wraps in the upper half.
  public var highestSequence: UInt32 { UInt32(truncatingIfNeeded: extendedHighest) }

  /// Interarrival jitter in units of the media clock (A.8).
  public var jitter: UInt32 { UInt32(clamping: scaledJitter >> 4) }

  /// Interarrival jitter in nanoseconds.
  public var jitterNanoseconds: Int64 { Int64(jitter) * 1_000_000_000 / clockRate }

  /// Counts one packet of the stream that arrived at `arrivalNanoseconds` on any steady clock.
  ///
  /// - Returns: whether the packet is valid in its place; false on probation and for the first
  ///   packet after a jump.
  @discardableResult
  public mutating func receive(_ header: RTPHeader, arrivalNanoseconds: Int64) -> Bool {
    guard validate(header.sequenceNumber, run: header.run) else { return false }
    receivedPackets += 1
    updateJitter(header.timestamp, arrivalNanoseconds: arrivalNanoseconds)
    return true
  }

  /// The report block on this stream, and the start of the next interval of `fractionLost` (A.3).
  public mutating func makeBlock(
    on ssrc: SSRC, lastSR: UInt32, delaySinceLastSR: UInt32
  ) -> ReportBlock {
    let expected = expectedPackets - expectedPrior
    let lost = expected - (receivedPackets - receivedPrior)
    expectedPrior = expectedPackets
    receivedPrior = receivedPackets
    let fraction = expected <= 0 || lost <= 0 ? 0 : min(255, (lost << 8) / expected)
    return ReportBlock(
      ssrc: ssrc, fractionLost: UInt8(fraction), cumulativeLost: cumulativeLost,
      highestSequence: highestSequence, jitter: jitter, lastSR: lastSR,
      delaySinceLastSR: delaySinceLastSR)
  }

  private mutating func validate(_ number: SequenceNumber, run: UInt8?) -> Bool {
    guard let highest else {
      self.highest = number
      probation = Self.minimumSequential - 1
      return false
    }
    if probation > 0 {
      self.highest = number
      guard number == highest.advanced(by: 1) else {
        probation = Self.minimumSequential - 1
        return false
      }
      probation -= 1
      if probation == 0 { start(at: number) }
      return probation == 0
    }
    // A.1 measures the distance upwards only: a late packet is almost a whole turn ahead.
    let ahead = Int(number.rawValue &- highest.rawValue)
    if ahead < Self.maximumDropout {
      self.highest = number
      extendedHighest += ahead
      if let run { excusedPackets += max(0, ahead - 1 - Int(run)) }
    } else if ahead <= 65536 - Self.maximumMisorder {
      guard number == expectedAfterJump else {
        expectedAfterJump = number.advanced(by: 1)
        return false
      }
      restarts += 1
      start(at: number)
    }
    return true
  }

  private mutating func start(at number: SequenceNumber) {
    highest = number
    expectedAfterJump = nil
    baseSequence = Int(number.rawValue)
    extendedHighest = baseSequence
    receivedPackets = 0
    excusedPackets = 0
    expectedPrior = 0
    receivedPrior = 0
    // The time stamps jumped too: the first difference would be no jitter.
    transit = nil
  }

  private mutating func updateJitter(_ timestamp: RTPTimestamp, arrivalNanoseconds: Int64) {
    let (seconds, rest) = arrivalNanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let arrival = seconds &* clockRate &+ rest * clockRate / 1_000_000_000
    let newTransit = UInt32(truncatingIfNeeded: arrival) &- timestamp.rawValue
    if let transit {
      let difference = Int32(bitPattern: newTransit &- transit).magnitude
      scaledJitter += UInt64(difference)
      scaledJitter -= (scaledJitter - UInt64(difference) + 8) >> 4
    }
    transit = newTransit
  }
}
