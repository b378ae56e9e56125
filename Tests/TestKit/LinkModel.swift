/// How a link treats packets.
///
/// In this order: the rate cap, losses, delay and jitter, detours, copies.
public struct LinkModel: Hashable, Sendable {
  /// What comes on top of the constant delay, packet by packet.
  public enum Jitter: Hashable, Sendable {
    /// Nothing.
    case none
    /// Uniform, 0 ... the value.
    case uniform(nanoseconds: Int64)
    /// Normal around the constant delay with this deviation; no delay gets negative.
    case gaussian(nanoseconds: Int64)
    /// Like a radio's; always in order.
    case wifi(WiFi)
  }

  /// Losses in bursts: Gilbert's two states, all lost in the bad one.
  public struct Bursts: Hashable, Sendable {
    /// Chance that a packet begins a burst.
    public var begin: Double
    /// Chance that a burst ends before a packet.
    public var end: Double

    /// Makes bursts of `1 / end` packets on average.
    public init(begin: Double, end: Double) {
      self.begin = begin
      self.end = end
    }

    /// Makes bursts of so many packets on average which lose this share of all, 0 ..< 1.
    ///
    /// A share above `meanLength / (meanLength + 1)` has no such bursts.
    public init(share: Double, meanLength: Double) {
      end = 1 / meanLength
      begin = end * share / (1 - share)
    }
  }

  /// Constant part of the delay.
  public var delayNanoseconds: Int64 = 50_000
  /// Variable part of the delay.
  public var jitter = Jitter.none
  /// Whether jitter keeps packets in order, as one queue does; else it reorders.
  ///
  /// Detours and copies come when they come.
  public var keepsOrder = false
  /// Independent losses, 0...1.
  public var loss = 0.0
  /// Losses in bursts.
  public var bursts: Bursts?
  /// Chance of a second copy, 0...1, that comes within 5 ms.
  public var duplication = 0.0
  /// Chance of a detour, 0...1, of `reorderNanoseconds`.
  public var reorder = 0.0
  /// How much longer a detour takes.
  public var reorderNanoseconds: Int64 = 4_000_000
  /// What goes through at most, in kbit/s of IP packets with their headers; nil for no limit.
  public var rateKilobits: Double?
  /// How long packets wait for their turn under the rate cap; those that would wait longer are dropped.
  public var queueNanoseconds: Int64 = 200_000_000

  /// A link that only delays, by 50 microseconds.
  public init() {}
}

/// What becomes of a packet on a link.
public enum PacketFate: Hashable, Sendable {
  /// It never arrives.
  case lost
  /// The queue of the rate cap was full.
  case dropped
  /// It arrives, perhaps twice.
  case arrives(atNanoseconds: Int64, copyAtNanoseconds: Int64?)
}

/// What a link did to the packets it was given; of copies only `duplicated` speaks.
public struct LinkCounters: Hashable, Sendable {
  /// Packets that arrive.
  public var forwarded = 0
  /// Packets lost, alone or in bursts.
  public var lost = 0
  /// Packets of which a copy arrives too.
  public var duplicated = 0
  /// Packets sent on a detour, so that later ones overtake them.
  public var reordered = 0
  /// Packets for which the queue of the rate cap had no room.
  public var dropped = 0

  /// Nothing yet.
  public init() {}
}
