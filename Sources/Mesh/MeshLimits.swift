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
  /// Forgotten nodes that members are told of who were away then.
  public static let forgotten = 64
  /// Peers that are knocked at per heartbeat, of those lost long ago.
  static let knocks = 16
  /// Peers that are knocked at each half second, of those lost a moment ago: 16 kbit/s for each address that they have.
  ///
  /// So a group of 16 knocks at everybody each half second after its switch was out.
  static let searches = 16
  /// Rounds of heartbeats between two that carry an old member.
  static let reminderRounds = 8
}

/// Why bytes of a control connection are not what ``MessageDecoder`` takes.
///
/// What is thrown holds no bytes of the sender; the connection is of no more use.
public enum MeshError: Error, Hashable, Sendable {
  /// A length prefix above the limit; nothing of that message was kept.
  case oversized(byteCount: Int, maximum: Int)
  /// A message of no octets, or a number or field that ends after what it stands in.
  case truncated
  /// A field that must be there is not, or has a wrong length or value.
  case malformed(type: UInt64, tag: UInt64)
  /// A hello of a version that this software does not speak.
  case version(major: UInt64, minor: UInt64)
  /// A message that was begun and not finished in time.
  case slow(seconds: Int)
}

extension MeshError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .oversized(let byteCount, let maximum):
      "a message of \(byteCount) bytes is too long: at most \(maximum) are accepted"
    case .truncated:
      "a message ends before its fields do"
    case .malformed(let type, let tag):
      "field \(tag) of a message of type \(type) is missing or wrong"
    case .version(let major, let minor):
      "the other node speaks version \(major).\(minor) of the control protocol and this one "
        + "\(MessageVersion.current): update the older of the two"
    case .slow(let seconds):
      "a message was not finished within \(seconds) s of its first byte"
    }
  }
}

/// How often something may be done: at once a number of times, then at a rate.
///
/// A pure value; all times are of one steady clock.
public struct TokenBucket: Sendable {
  private let burst: Double
  private let perSecond: Double
  private var tokens: Double
  private var filledAtNanoseconds: Int64?

  /// Makes a full bucket.
  public init(burst: Int, perSecond: Int) {
    self.burst = Double(burst)
    self.perSecond = Double(perSecond)
    tokens = Double(burst)
  }

  /// Takes one, if there is one.
  public mutating func take(nowNanoseconds: Int64) -> Bool {
    let elapsed = Double(max(nowNanoseconds - (filledAtNanoseconds ?? nowNanoseconds), 0))
    tokens = min(burst, tokens + elapsed * perSecond / 1e9)
    filledAtNanoseconds = nowNanoseconds
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// How long until there is one again, from empty.
  public var periodNanoseconds: Int64 { Int64(1e9 / perSecond) }
}
