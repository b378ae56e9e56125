/// What changes many times a second of a ``Status``: levels, and who talks.
public struct NodeLevels: Sendable, Hashable {
  /// Those of a peer.
  public struct Peer: Sendable, Hashable {
    /// As ``PeerStatus/levelDBFS``.
    public var levelDBFS: Double
    /// As ``PeerStatus/isTalking``.
    public var isTalking: Bool

    /// Levels are told to a tenth of a decibel.
    public init(levelDBFS: Double, isTalking: Bool) {
      self.levelDBFS = Level.tenths(levelDBFS)
      self.isTalking = isTalking
    }
  }

  /// As ``NodeStatus/micLevelDBFS``.
  public var micDBFS: Double
  /// As ``NodeStatus/micPeakDBFS``.
  public var micPeakDBFS: Double
  /// As ``NodeStatus/mixLevelDBFS``.
  public var mixDBFS: Double
  /// One a peer, in the order of ``Status/peers``.
  public var peers: [Peer]

  /// Levels are told to a tenth of a decibel.
  public init(micDBFS: Double, micPeakDBFS: Double, mixDBFS: Double, peers: [Peer]) {
    self.micDBFS = Level.tenths(micDBFS)
    self.micPeakDBFS = Level.tenths(micPeakDBFS)
    self.mixDBFS = Level.tenths(mixDBFS)
    self.peers = peers
  }

  /// Those that a status tells.
  public init(_ status: Status) {
    self.init(
      micDBFS: status.node.micLevelDBFS, micPeakDBFS: status.node.micPeakDBFS,
      mixDBFS: status.node.mixLevelDBFS,
      peers: status.peers.map { Peer(levelDBFS: $0.levelDBFS, isTalking: $0.isTalking) })
  }
}

extension Level {
  /// A level as JSON can carry it, to a tenth of a decibel.
  static func tenths(_ levelDBFS: Double) -> Double {
    (finite(levelDBFS) * 10).rounded() / 10
  }
}
