/// How a peer's stream is played.
public struct PeerStreamConfiguration: Hashable, Sendable {
  /// What ``repairDelayMaximumNanoseconds`` is where nothing else is said, as senders suppose.
  public static let usualRepairDelayNanoseconds: Int64 = 50_000_000

  /// How long packets wait before they sound.
  public var playoutDelay: PlayoutDelay
  /// No packet waits longer than this between arrival and playout, whatever `playoutDelay` says.
  public var playoutDelayMaximumNanoseconds: Int64
  /// Share of the packets that `auto` lets come too late, above 0 and below 1.
  public var lateShare: Double
  /// How much of `auto` may be for repairs to come in time; 1.8 times that where bursts are lost, and a packet where that is longer.
  public var repairDelayMaximumNanoseconds: Int64

  /// Makes a configuration; 120 ms by default, beyond which people start to talk over each other
  /// (ITU-T G.114 §4 wants 150 ms mouth to ear).
  public init(
    playoutDelay: PlayoutDelay = .auto, playoutDelayMaximumNanoseconds: Int64 = 120_000_000,
    lateShare: Double = 0.005, repairDelayMaximumNanoseconds: Int64 = usualRepairDelayNanoseconds
  ) {
    precondition(lateShare > 0 && lateShare < 1)
    self.playoutDelay = playoutDelay
    self.playoutDelayMaximumNanoseconds = playoutDelayMaximumNanoseconds
    self.lateShare = lateShare
    self.repairDelayMaximumNanoseconds = repairDelayMaximumNanoseconds
  }
}
