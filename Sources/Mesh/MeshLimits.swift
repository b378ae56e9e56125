/// How much of everything there is at most, whatever others send.
public enum MeshLimits {
  /// Members at once.
  public static let members = 128
  /// Peers known of, connected or not.
  public static let peers = 512
  /// Of these, nodes that only announcements told of.
  public static let announcedPeers = 128
  /// Of these, nodes that only one member's gossip told of.
  public static let gossipedPeersPerMember = 64
  /// Of these, nodes that only gossip told of.
  public static let gossipedPeers = 256
  /// Static peers.
  public static let namedPeers = 64
  /// Addresses of one peer that led to it, and as many again of hearsay.
  public static let addresses = 8
  /// Attempts at once to peers that never proved to belong to us.
  public static let unprovenAttempts = 32
  /// Connections at once that strangers opened.
  public static let strangerConnections = 16
  /// Connections at once that others opened, however well they prove who they are.
  public static let connections = 512
  /// Messages of one connection that are taken at once; a group of 128 that starts at once needs fewer.
  public static let messageBurst = 256
  /// Messages of one connection a second after that; heartbeats and news are 21 at most.
  public static let messagesPerSecond = 32
  /// Connections at once of one node.
  public static let connectionsPerNode = 4
  /// Invitations shown within 30 s.
  public static let invitations = 8
  /// Declined strangers that are remembered for a while.
  public static let declined = 64
  /// Nodes that ``MeshMemory`` remembers as members once.
  public static let memoryEntries = 1024
  /// Of these, those that are looked for after a start.
  public static let rememberedPeers = 64
  /// Peers that are knocked at per heartbeat, of those lost long ago.
  static let knocks = 16
  /// Peers that are knocked at each half second, of those lost a moment ago: 16 kbit/s for each address that they have.
  ///
  /// So a group of 16 knocks at everybody each half second after its switch was out.
  static let searches = 16
  /// Rounds of heartbeats between two that carry an old member.
  static let reminderRounds = 8
}
