public import Cryptography
public import RTP

/// Whom a node's sound goes to, and of whom it plays what: what the media path has to know of lines.
public struct LineRouting: Sendable, Equatable {
  /// What is so of one member.
  public struct Member: Sendable, Equatable {
    /// This node's lines that it is on: packets for one of them are sent to it.
    public var addressed: LineSet
    /// By the member's numbers, how loud its packets for that line are played, as a factor; 0: not at all.
    public var gains: [Float]

    /// By the member's numbers, the priority of that line.
    public var priorities: [Int]
    /// By the member's numbers, the place that the line has here (``LineDesk/places``); nil: this node is not on it.
    public var places: [Int?] = []
    /// By the member's numbers, where that line is heard, −1 (left) … 1 (right).
    public var pans: [Float] = []

    /// One that is on these lines.
    public init(addressed: LineSet, gains: [Float], priorities: [Int] = []) {
      (self.addressed, self.gains, self.priorities) = (addressed, gains, priorities)
    }

    /// One of whom nothing is known: it is on `all`.
    public static let unknown = Member(
      addressed: [.everyone, .announcement],
      gains: (0..<LineSet.capacity).map { number in
        number == 0 || number == LineSet.announcementNumber ? 1 : 0
      },
      priorities: (0..<LineSet.capacity).map { number in
        number == LineSet.announcementNumber
          ? EarSettings.announcementPriority : EarSettings.usualPriority
      })
  }

  /// The lines that are talked to; empty: the microphone is closed.
  public var talk: LineSet = []
  /// Whether packets say which lines they are for: this node is on others than `all`.
  public var tellsLines = false
  /// Whether the microphone is sent as it is, past all that is done to a voice.
  public var isUntreated = false
  /// Those of whom more is known than that they are members.
  public var members: [NodeID: Member] = [:]
  /// How loud all of it is, and what gives way to what.
  public var ear = EarSettings()
  /// By this node's numbers, how loud a line is heard here, as a factor; 0: not at all.
  public var ownGains = Member.unknown.gains
  /// By this node's numbers, the priority of a line.
  public var ownPriorities: [Int] = []
  /// The lines that each guest of this node talks to.
  public var guests: [Int: LineSet] = [:]
  /// The lines that inputs of this node are for, by name; for all members where nothing is said of one.
  public var inputs: [String: LineSet] = [:]
  /// What holds for others.
  public var others = Member.unknown
  /// How streams of others are played that are for private lines that this node is on; of other private lines nothing
  /// is.
  public struct PrivateLine: Sendable, Equatable {
    /// Whose streams.
    public var members: Set<NodeID>
    /// How loud, as a factor; 0: not at all.
    public var gain: Float
    /// The line's priority.
    public var priority: Int
    /// The place of the line (``LineDesk/places``).
    public var place: Int
    /// Where it is heard, −1 (left) … 1 (right).
    public var pan: Float = 0
  }

  /// The JACK outputs of lines, by the line's place (``LineDesk/places``).
  public var ports: [Int: String] = [:]
  /// By the audience of streams.
  public var privateLines: [Audience: PrivateLine] = [:]
  /// Whether a call rings here.
  public var isCalled = false
  /// The audiences of streams of their own that are talked to.
  public var audiences: Set<Audience> = []

  /// Nobody is talked to.
  public init() {}
}
