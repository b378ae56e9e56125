/// A message of a node's history, as ``Status`` is versioned.
public struct MessageStatus: Sendable, Hashable, Codable {
  /// One of those that an own message is for.
  public struct Recipient: Sendable, Hashable, Codable {
    /// What it is called; the words of its fingerprint where nobody knows.
    public var name: String
    /// Its fingerprint.
    public var id: String
    /// `waiting`, `delivered`, `read` or `expired`.
    public var state: String

    /// One recipient.
    public init(name: String, id: String, state: String) {
      self.name = name
      self.id = id
      self.state = state
    }
  }

  /// A sign at a message.
  public struct Reaction: Sendable, Hashable, Codable {
    /// The sign, such as an emoji.
    public var sign: String
    /// What whoever gave it is called; empty: this node's user.
    public var name: String
    /// The fingerprint of who gave it.
    public var id: String

    /// One sign.
    public init(sign: String, name: String, id: String) {
      (self.sign, self.name, self.id) = (sign, name, id)
    }
  }

  /// Its number on this node: it grows with each message, and is never used again.
  public var number: Int64
  /// The conversation: the name of the other node, `group:NAME` or `line:NAME`.
  public var conversation: String
  /// Who wrote it, by name.
  public var sender: String
  /// The fingerprint of who wrote it.
  public var senderID: String
  /// Whether this node's user wrote it.
  public var isOwn: Bool
  /// When it was written, by its sender's clock, seconds since 1970.
  public var sentUnixSeconds: Double
  /// When this node had it, by its own clock, seconds since 1970.
  public var takenUnixSeconds: Double
  /// What it says; absent where it is of a kind that this version does not know.
  public var text: String?
  /// Of a voice message; absent otherwise.
  public var voice: VoiceMessageStatus?
  /// Whether this node's user read it, or wrote it.
  public var isRead: Bool
  /// Of an own message, for whom it is and how far it is; absent otherwise.
  public var recipients: [Recipient]?
  /// When its text was changed last, by its sender's clock, seconds since 1970; absent: never.
  public var editedUnixSeconds: Double?
  /// The signs at it, one of each who gave one; absent: there are none.
  public var reactions: [Reaction]?

  /// A message of another node, or an own one before its recipients are known.
  public init(
    number: Int64, conversation: String, sender: String, senderID: String, isOwn: Bool,
    sentUnixSeconds: Double, takenUnixSeconds: Double, text: String?, isRead: Bool
  ) {
    self.number = number
    self.conversation = conversation
    self.sender = sender
    self.senderID = senderID
    self.isOwn = isOwn
    self.sentUnixSeconds = sentUnixSeconds
    self.takenUnixSeconds = takenUnixSeconds
    self.text = text
    self.isRead = isRead
  }
}

/// Messages in a ``Status``.
public struct MessagesStatus: Sendable, Hashable, Codable {
  /// Messages of others that were not read yet.
  public var unread: Int
  /// The number of the last message, 0 before the first: it grows with each that is said or comes.
  public var last: Int64
  /// Grows with each change of a message or of how far it is, until the node exits.
  public var revision: Int
  /// Own messages that somebody does not have yet.
  public var waiting: Int
  /// Bytes of messages that are kept for others.
  public var keptBytes: Int
  /// Messages of others since the start.
  public var received: Int
  /// What other nodes sent and was refused since the start, by reason; only reasons that happened are listed.
  public var refused: [String: Int]
  /// The voice message that is being recorded; absent: none is.
  public var recording: VoiceRecordingStatus?
  /// The voice message that plays; absent: none does.
  public var playing: VoicePlayingStatus?
  /// What is mirrored to another service; absent: nothing is to be.
  public var mirror: MirrorStatus?
  /// What is spoken here; absent: nothing is to be.
  public var aloud: AloudStatus?
  /// Why messages are not kept beyond this run, or not at all, in words; absent where they are.
  public var problem: String?

  /// Nothing yet.
  public init() {
    (unread, last, revision, waiting, keptBytes, received) = (0, 0, 0, 0, 0, 0)
    refused = [:]
  }
}

/// Texts of others that are spoken at the own ear.
public struct AloudStatus: Sendable, Hashable, Codable {
  /// Whose text is spoken just now, by name; absent: nobody's.
  public var sender: String?
  /// Those that wait.
  public var waiting: Int
  /// Those that were spoken since the start.
  public var spoken: Int
  /// Those that were not, since the start, by reason; only reasons that happened are listed.
  public var dropped: [String: Int]
  /// What went wrong last, in words; absent once the next one was spoken.
  public var problem: String?

  /// Nothing yet.
  public init() { (waiting, spoken, dropped) = (0, 0, [:]) }
}

/// Voice messages that go to another service.
public struct MirrorStatus: Sendable, Hashable, Codable {
  /// Those that went there since the start.
  public var sent: Int
  /// Those that the service will never take, since the start.
  public var refused: Int
  /// What went wrong last, in words; absent once the next one is there.
  public var problem: String?

  /// Nothing yet.
  public init() { (sent, refused) = (0, 0) }
}
