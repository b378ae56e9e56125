/// Somebody whom a node knows of: a member, one who asks to be one, one who is looked for, trusted or blocked.
public struct AcquaintanceStatus: Codable, Hashable, Sendable {
  /// The name it gave, for which nobody vouches; of a static peer that has not answered, its address as the user wrote it.
  public var name: String
  /// Its fingerprint; nil: it has not answered yet.
  public var id: String?
  /// The same as words.
  public var idWords: String?
  /// Of a member, what it says of itself, as ``PeerStatus/role``.
  public var role: String?
  /// Likewise ``PeerStatus/colour``.
  public var colour: String?
  /// Likewise ``PeerStatus/version``.
  public var version: String?
  /// How far the way to it is, in words such as `member`, `asks to be let in`, `stranger` or `connecting`.
  public var state: String
  /// Why it is let in, `group`, `trusted` or `open`, or that it never is, `blocked`; nil: it is not.
  public var admission: String?
  /// Attempts to connect that failed in a row.
  public var failures: Int
  /// The attempt under way, or the next; absent where none is or will be.
  public var attempt: AttemptStatus?
  /// Of a member, whether it says that it records what it hears.
  public var isRecording: Bool?
  /// Of one that asks: when it is declined by itself.
  public var secondsLeft: Double?

  /// Describes somebody.
  public init(name: String, state: String) {
    self.name = name
    self.state = state
    failures = 0
  }
}
