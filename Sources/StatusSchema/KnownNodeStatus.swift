/// A node known to this one: a member, a node that asks for admission, a static peer, a trusted or a blocked node.
public struct KnownNodeStatus: Codable, Hashable, Sendable {
  /// Its own name, unproved; for a static peer without an answer, its address as the user wrote it.
  public var name: String
  /// Its fingerprint; nil: it has not answered yet.
  public var id: String?
  /// The same as words.
  public var idWords: String?
  /// A member's own role, as ``PeerStatus/role``.
  public var role: String?
  /// Likewise ``PeerStatus/colour``.
  public var colour: String?
  /// Likewise ``PeerStatus/people``.
  public var people: String?
  /// Likewise ``PeerStatus/version``.
  public var version: String?
  /// Progress of its connection, in words such as `member`, `asks to be let in`, `stranger` or `connecting`.
  public var state: String
  /// Why it is admitted, `group`, `trusted` or `open`, or `blocked`; nil: not admitted.
  public var admission: String?
  /// Attempts to connect that failed in a row.
  public var failures: Int
  /// The attempt under way, or the next; absent where none is or will be.
  public var attempt: AttemptStatus?
  /// Of a member, whether it says that it records what it hears.
  public var isRecording: Bool?
  /// Time until a node that asks is declined automatically.
  public var secondsLeft: Double?

  /// Describes a node.
  public init(name: String, state: String) {
    self.name = name
    self.state = state
    failures = 0
  }
}

/// The attempt to connect to an ``KnownNodeStatus`` that is under way, or the next one.
public struct AttemptStatus: Codable, Hashable, Sendable {
  /// The first after a success is 1.
  public var number: Int
  /// Whether it has not begun yet.
  public var isAwaited: Bool
  /// Until it begins, or is given up.
  public var secondsLeft: Double
  /// The address that was tried last, the first is 1; absent before the first and once one has answered.
  public var address: Int?
  /// How many there are; absent with ``address``.
  public var addressCount: Int?

  /// Describes an attempt.
  public init(number: Int, isAwaited: Bool, secondsLeft: Double) {
    self.number = number
    self.isAwaited = isAwaited
    self.secondsLeft = secondsLeft
  }
}

/// A group that a node is in, without its secret.
public struct GroupStatus: Sendable, Hashable, Codable {
  /// Its name.
  public var name: String
  /// Four words of a hash of its secret, blanks between them: equal words mean the same secret,
  /// except against an attacker: 32 bits protect from mistakes only.
  public var words: String

  /// A group as it is listed.
  public init(name: String, words: String) {
    self.name = name
    self.words = words
  }
}

/// A member that may set something at this node, in a ``Status``.
public struct OperatorStatus: Sendable, Hashable, Codable {
  /// What it is called here.
  public var name: String
  /// Its ID.
  public var id: String?
  /// What it may set: `mic-gain`, `levels`, `keys`, `kill`.
  public var rights: [String]
  /// How often it did since this node started.
  public var acts = 0
  /// What it did last, as a control request in JSON; absent: nothing.
  public var lastAct: String?

  /// One that did nothing yet.
  public init(name: String, id: String, rights: [String]) {
    (self.name, self.id, self.rights) = (name, id, rights)
  }
}
