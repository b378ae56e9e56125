/// How a link treats packets.
public struct LinkModel: Hashable, Sendable {
  /// What comes on top of the constant delay, packet by packet.
  public enum Jitter: Hashable, Sendable {
    /// Nothing.
    case none
    /// Uniform, 0 ... the value.
    case uniform(nanoseconds: Int64)
    /// The absolute value of a normal distribution with this deviation.
    case gaussian(nanoseconds: Int64)
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
  }

  /// Constant part of the delay.
  public var delayNanoseconds: Int64 = 50_000
  /// Variable part of the delay.
  public var jitter = Jitter.none
  /// Whether packets keep their order, as behind one queue; else jitter reorders.
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

  /// A link that only delays, by 50 microseconds.
  public init() {}
}
