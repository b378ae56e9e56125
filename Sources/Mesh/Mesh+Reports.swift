public import Cryptography

/// Queries.
extension Mesh {
  /// This node's profile.
  public var ownProfile: NodeProfile { profile }

  /// Who is connected and admitted, in the order of admission.
  public var members: [Member] {
    peers.all.sorted { $0.revision < $1.revision }.compactMap(\.member)
  }

  /// Whether a member of this identity and run is present: else its messages and media are refused.
  public func isMember(_ node: NodeID, instance: UInt64) -> Bool {
    peers[node]?.member?.instance == instance
  }

  /// The connections that a node has to us now.
  public func connections(of node: NodeID) -> [ConnectionID] {
    links.of(node).map(\.connection)
  }

  /// Where a node may be reached, the best first.
  public func addresses(of node: NodeID) -> [NodeAddress] {
    peers[node]?.addresses.all ?? []
  }

  /// A line on each known peer, and the progress of its connection.
  public var reports: [DialReport] {
    peers.all.map { peer in
      DialReport(
        target: peer.target, progress: progress(of: peer),
        failureCount: peer.backOff.failureCount,
        watchdogNanoseconds: peer.attempt?.watchdogNanoseconds,
        answeredBy: peer.answeredBy)
    }
  }

  private func progress(of peer: Peer) -> DialProgress {
    if peer.member != nil { return .connected }
    if let attempt = peer.attempt { return attempt.progress }
    let next = peer.backOff.nextNanoseconds
    return next == .max ? .resting : .waiting(untilNanoseconds: next)
  }
}

/// Counters of refusals; they only grow.
public struct MeshCounters: Hashable, Sendable {
  /// Connections closed because of a lower instance.
  public internal(set) var ghosts = 0
  /// Connections closed because their hello named another node.
  public internal(set) var wrongIdentities = 0
  /// Connections of blocked nodes.
  public internal(set) var blocked = 0
  /// Connections beyond what strangers, or one node, may have.
  public internal(set) var crowded = 0
  /// Connections that gave no hello, or no answer, in time.
  public internal(set) var late = 0
  /// Messages out of turn, and goodbyes in another's name.
  public internal(set) var outOfTurn = 0
  /// Connections closed in favour of another of the same pair.
  public internal(set) var duplicates = 0
  /// Connections closed, or not taken, because of messages beyond ``MeshLimits/messagesPerSecond``.
  public internal(set) var floods = 0
  /// Announcements and gossip beyond the limits.
  public internal(set) var hearsayDropped = 0

  /// Nothing refused.
  public init() {}
}
