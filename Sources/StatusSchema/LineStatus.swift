/// A party line of the group in a ``Status``.
public struct LineStatus: Sendable, Hashable, Codable {
  /// What it is called; `all` is the line that everyone is on.
  public var name: String
  /// What small displays show for it, 8 characters at most; absent where an older daemon has none.
  public var display: String?
  /// Whether this node is on it.
  public var isJoined: Bool
  /// Whether it is heard here, keys considered.
  public var isListening: Bool
  /// Whether the user wants to hear it, whatever keys do meanwhile.
  public var isSetListening: Bool
  /// How loud it is heard, dB.
  public var levelDecibels: Double
  /// Where it is heard, -1 (left) to 1 (right); absent: in the middle.
  public var pan: Double?
  /// Its JACK output, without the client's name; absent: it has none.
  public var port: String?
  /// What gives way to it, and what it gives way to: 0 (below standard) to 4 (emergency); absent where an older daemon
  /// has none.
  public var priority: Int?
  /// Whether this node talks there.
  public var isTalking: Bool
  /// Who else is on it, by name.
  public var members: [String]
  /// Who of them talks there, by name.
  public var talkers: [String]
  /// Whether only those know of it who are on it, or invited; absent: no.
  public var isPrivate: Bool?
  /// Who was added to a private line and has not joined it, by name; absent: nobody.
  public var invited: [String]?
  /// Who invites this node to a private line of that name; absent: nobody.
  public var invitedBy: String?

  /// A line that this node is not on, and nobody else.
  public init(name: String) {
    self.name = name
    (isJoined, isListening, isSetListening, isTalking) = (false, false, false, false)
    levelDecibels = 0
    (members, talkers) = ([], [])
  }

  /// The levels that a line can have.
  public static let levelRangeDecibels = -40.0...12.0
}

/// A key in a ``Status``: how it is set, its position, and what its lamp shows.
public struct KeyStatus: Sendable, Hashable, Codable {
  /// What a lamp beside the key shows.
  ///
  /// Words a reader does not know are shown as they are.
  public struct Tally: RawRepresentable, Sendable, Hashable, Codable {
    /// The word in the JSON.
    public var rawValue: String
    /// A state by its word.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// It does nothing now.
    public static let off = Tally(rawValue: "off")
    /// Its lines are heard.
    public static let listen = Tally(rawValue: "listen")
    /// It talks.
    public static let talk = Tally(rawValue: "talk")
    /// It talks, and its lines are heard.
    public static let talkListen = Tally(rawValue: "talk-listen")
  }

  /// What it is called.
  public var name: String
  /// The lines that it is for.
  public var lines: [String]
  /// What else it is for: `member:NAME`, `group:NAME`, `reply`, `announcement` or `all`; absent: nothing.
  public var targets: [String]?
  /// What it does: `talk`, `listen`, `talk-listen`, `dual`, `force-listen`, `talk-force-listen` or
  /// `force-talk-force-listen`.
  public var activation: String
  /// A press that is shorter latches, milliseconds; 0: none does.
  public var latchMilliseconds: Int
  /// Of the keys of a group one talks at a time; absent: it is in none.
  public var interlock: Int?
  /// The note or controller of a MIDI device that works it; absent: none.
  public var midi: String?
  /// Whether the user set it; else it comes with its line.
  public var isSet: Bool
  /// Whether something holds it down.
  public var isHeld: Bool
  /// Whether it stays open.
  public var isLatched: Bool
  /// What its lamp shows.
  public var tally: Tally
  /// Whether one of its targets calls, and nobody has answered; absent where an older daemon knows no calls.
  public var isCalled: Bool?
  /// Whether somebody talks on its lines, or to this node by another of its targets.
  public var isPresent: Bool
  /// Who, by name.
  public var talkers: [String]
  /// Whom it is for, and who lets it not latch, by name; absent: nobody.
  public var latchRefusedBy: String?

  /// A key that nobody touches.
  public init(name: String, lines: [String], activation: String, latchMilliseconds: Int = 200) {
    (self.name, self.lines, self.activation) = (name, lines, activation)
    self.latchMilliseconds = latchMilliseconds
    (isSet, isHeld, isLatched, isPresent) = (false, false, false, false)
    tally = .off
    talkers = []
  }

  /// The latch times that a key can have.
  public static let latchRangeMilliseconds = 0...1000
}
