import Remote
import StatusSchema

/// What follows when one node of a group blocks another, as the three see it by their counters.
public struct BlockTrial: Sendable {
  /// What a node hears of the blocker.
  private struct Heard {
    var received = 0
    /// Datagrams of nobody whom it knows, as the blocker's are once it is out.
    var unknown = 0
    var lost = 0
    var undecipherable = 0
  }

  /// How long they are looked at.
  private static let seconds = 3.0

  /// From the block until the blocker's voice has another key; nil: it kept the one it had.
  public private(set) var keySeconds: Double?
  /// From the block until a datagram of the blocker reached the blocked one last, whether it was let in there or not;
  /// 0: not once after it.
  public private(set) var lastReachedSeconds = 0.0
  /// Packets that the witness heard of the blocker meanwhile.
  public let received: Int
  /// Packets that it missed.
  public let lost: Int
  /// Packets of whomever that came in and could not be deciphered.
  public let undecipherable: Int

  /// Has a node block another.
  ///
  /// - Parameter witness: a third of the group, that stays.
  /// - Throws: `RigError`.
  public init(
    of blocker: NodeProcess, blocking blocked: NodeProcess, before witness: NodeProcess
  ) throws(RigError) {
    let epoch = try blocker.status().node.keyEpoch ?? 0
    let before = try Self.heard(of: blocker, by: witness)
    var last = try Self.heard(of: blocker, by: blocked)
    _ = try blocker.ask(.block(peer: blocked.name))
    let start = monotonicNanoseconds()
    var seconds = 0.0
    while seconds < Self.seconds {
      pause(seconds: 0.02)
      let isRolled = try blocker.status().node.keyEpoch ?? 0 > epoch
      let now = try Self.heard(of: blocker, by: blocked)
      seconds = Double(monotonicNanoseconds() - start) / 1e9
      if isRolled, keySeconds == nil { keySeconds = seconds }
      if now.received > last.received || now.unknown > last.unknown { lastReachedSeconds = seconds }
      last = now
    }
    let after = try Self.heard(of: blocker, by: witness)
    received = after.received - before.received
    lost = after.lost - before.lost
    undecipherable = after.undecipherable - before.undecipherable
  }

  private static func heard(
    of talker: NodeProcess, by listener: NodeProcess
  ) throws(RigError) -> Heard {
    let status = try listener.status()
    let drops = status.network.drops
    let undecipherable = ["notAuthentic", "unknownKey"].reduce(0) { $0 + (drops[$1] ?? 0) }
    let unknown = ["unknownSource", "unknownSSRC"].reduce(0) { $0 + (drops[$1] ?? 0) }
    let peer = status.peers.first { $0.name == talker.name }
    return Heard(
      received: peer?.received ?? 0, unknown: unknown, lost: peer?.lost ?? 0,
      undecipherable: undecipherable)
  }
}
