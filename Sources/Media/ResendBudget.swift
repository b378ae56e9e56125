public import RTP

/// How many packets one receiver is sent again: whatever it asks for, never more than a share of what it
/// is sent anyway, so that forged or flooding requests cost little and reach nobody else.
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
  /// Packets that were asked for and not sent again.
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
