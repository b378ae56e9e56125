public import RTP

/// Limits RTX to one receiver: it gets what it NACKs, up to a share of what it is sent anyway,
/// so that forged or flooding NACKs cost little and affect nobody else.
///
/// A bucket of tokens, one a packet; and no packet twice within 5 ms, as a request may come twice.
public struct ResendBudget: Sendable {
  private static let burstPackets = 16.0
  private static let leastIntervalNanoseconds: Int64 = 5_000_000
  private static let rememberedCount = 32

  private struct Resent {
    var number = SequenceNumber(rawValue: 0)
    var atNanoseconds: Int64 = .min / 2
  }

  private var tokens = burstPackets
  private var filledNanoseconds: Int64 = .min / 2
  private var remembered = InlineArray<32, Resent>(repeating: Resent())
  private var next = 0

  /// Packets that may be sent again in a second.
  public var packetsPerSecond = 30.0
  /// NACKed packets that were not sent again.
  public private(set) var refused = 0

  /// A full bucket.
  public init() {}

  /// Whether a packet may be sent again now; counts it if so.
  public mutating func take(_ number: SequenceNumber, nowNanoseconds now: Int64) -> Bool {
    let elapsed = Double(max(0, min(now - filledNanoseconds, 60_000_000_000))) * 1e-9
    tokens = min(Self.burstPackets, tokens + elapsed * packetsPerSecond)
    filledNanoseconds = now
    guard tokens >= 1, !wasResent(number, nowNanoseconds: now) else {
      refused += 1
      return false
    }
    tokens -= 1
    remembered[next] = Resent(number: number, atNanoseconds: now)
    next = (next + 1) % Self.rememberedCount
    return true
  }

  private func wasResent(_ number: SequenceNumber, nowNanoseconds now: Int64) -> Bool {
    for index in remembered.indices where remembered[index].number == number {
      if now - remembered[index].atNanoseconds < Self.leastIntervalNanoseconds { return true }
    }
    return false
  }
}

/// Measures the share of losses left by copies that NACK and RTX repair.
///
/// Each report that has something to tell adds to it, and what came before fades by a fifth; a guess
/// stands in until four packets were left to be asked for: who asks over a short way gets nearly all. The first three
/// reports of a loss are passed over, as the receiver has yet to learn to wait. Whether answers come in time depends on
/// the way, on the receiver's patience and on when both look at their sockets: nothing a sender could work out.
struct ResendYield {
  private static let kept = 0.8
  private static let tellingPackets = 4.0
  /// 19 of 20 where the round trip is short and packets are long enough to wait for answers
  /// (`RepairDelay`).
  private static let guess = 0.95
  private static let shortNanoseconds: Int64 = 10_000_000
  private static let longFrames = 480

  /// Reports passed over when losses begin, and reports without any after which they begin anew.
  private static let (learningReports, calmReports) = (3, 10)

  private var learning = 0
  private var calm = calmReports
  private var left = 0.0
  private var unheard = 0.0

  /// 0...1.
  func share(roundTrip: RoundTripTime?, framesPerPacket: Int) -> Double {
    if left >= Self.tellingPackets { return min(1, max(0, 1 - unheard / left)) }
    guard let roundTrip, roundTrip.smoothedNanoseconds <= Self.shortNanoseconds,
      framesPerPacket >= Self.longFrames
    else { return 0 }
    return Self.guess
  }

  /// Adds a report: packets lost beyond copies, and lost packets whose audio was
  /// missing.
  mutating func add(left new: Int, unheard newUnheard: Int) {
    guard new > 0 else {
      calm += 1
      return
    }
    if calm >= Self.calmReports { learning = Self.learningReports }
    calm = 0
    guard learning == 0 else {
      learning -= 1
      return
    }
    left = left * Self.kept + Double(new)
    unheard = unheard * Self.kept + Double(min(new, newUnheard))
  }
}
