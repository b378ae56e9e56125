/// Captions in a ``Status``: what is spoken, as text.
public struct CaptionsStatus: Sendable, Hashable, Codable {
  /// Whether a speech service is set that this node can caption with.
  public var isAvailable: Bool
  /// Whether this node captions.
  public var isCaptioning: Bool
  /// What it captions, in words; absent: nothing.
  public var scope: String?
  /// Whether this node's user refuses to be captioned.
  public var isRefused: Bool
  /// Members whose users refuse, by name.
  public var refusers: [String]
  /// Sessions that are held, the oldest first; those that go on are live.
  public var sessions: [CaptionSessionStatus]
  /// The last chunks of the sessions that go on, in the order of their beginning.
  public var recent: [CaptionStatus]
  /// Captions of others that were not taken since the start.
  public var refused: Int
  /// What went wrong with the speech service last, in words; absent where all is well.
  public var problem: String?
  /// Frames of sound that were not captioned since the start, as this machine was too slow.
  public var lostFrames: Int?
  /// The folder that transcripts are kept in; absent: they are not.
  public var transcripts: String?
  /// Why transcripts cannot be written, in words; absent where all is well.
  public var transcriptProblem: String?
  /// How many days what is read here is kept to be searched; absent: it is not.
  public var keepDays: Int?

  /// Whether this node captions by itself while somebody who reads is on its lines.
  public var isOffered = false
  /// Whether it captions for that reason now.
  public var isAutomatic = false
  /// Hosted sessions, those that go on first.
  public var hosted: [HostedSessionStatus]

  /// Nothing is captioned.
  public init(isAvailable: Bool) {
    self.isAvailable = isAvailable
    (isCaptioning, isRefused, refused) = (false, false, 0)
    (refusers, sessions, recent, hosted) = ([], [], [], [])
  }
}

/// A session of captions.
public struct CaptionSessionStatus: Sendable, Hashable, Codable {
  /// By which it is known.
  public var session: String
  /// Who captions, by name.
  public var captioner: String
  /// Whether that is this node.
  public var isOwn: Bool
  /// What is captioned, in the captioner's words.
  public var scope: String
  /// Whether it goes on, and its captioner is here.
  public var isLive: Bool
  /// How many chunks are held of it.
  public var chunks: Int

  /// A session.
  public init(
    session: String, captioner: String, isOwn: Bool, scope: String, isLive: Bool, chunks: Int
  ) {
    (self.session, self.captioner, self.isOwn) = (session, captioner, isOwn)
    (self.scope, self.isLive, self.chunks) = (scope, isLive, chunks)
  }
}

/// A session that somebody hosts under a name.
public struct HostedSessionStatus: Sendable, Hashable, Codable {
  /// By which it is known.
  public var session: String
  /// What its host calls it.
  public var name: String
  /// What the host's device is called.
  public var host: String
  /// The line whose talk it has.
  public var line: String
  /// `live`, `lost`: its host is away, or `over`.
  public var state: String
  /// Whether this node hosts it.
  public var isOwn = false
  /// Whether this node's user joined it.
  public var isJoined = false
  /// Whether the host's words alone are captioned.
  public var isSolo = false
  /// How many chunks are held of it.
  public var chunks = 0
  /// The battery of the host's machine, percent; absent: it has none, or has power from outside.
  public var batteryPercent: Int?
  /// The other members that joined it.
  public var listeners: [SessionListenerStatus] = []

  /// A session that nobody joined.
  public init(session: String, name: String, host: String, line: String, state: String) {
    (self.session, self.name, self.host) = (session, name, host)
    (self.line, self.state) = (line, state)
  }
}

/// A member that joined a hosted session.
public struct SessionListenerStatus: Sendable, Hashable, Codable {
  /// Who.
  public var name: String
  /// How far behind what was said last is what was shown there last.
  public var behindSeconds: Double

  /// A listener.
  public init(name: String, behindSeconds: Double) {
    (self.name, self.behindSeconds) = (name, behindSeconds)
  }
}

/// What somebody says between two pauses, as text.
public struct CaptionStatus: Sendable, Hashable, Codable {
  /// Grows on this node with each change of a chunk.
  public var number: Int64
  /// The session's ID.
  public var session: String
  /// Which of its chunks; a chunk that is there again by the same index takes the former's place.
  public var index: Int
  /// Who says it, by name.
  public var talker: String
  /// Its node's ID.
  public var talkerID: String
  /// What it is for; absent: it does not say.
  public var role: String?
  /// The colour to show it in, hexadecimal red, green and blue; absent: none.
  public var colour: String?
  /// When it began, seconds since the session began.
  public var startSeconds: Double
  /// How long it takes, so far.
  public var seconds: Double
  /// What, so far.
  public var text: String
  /// Whether that stays.
  public var isFinal: Bool
  /// Its language, as BCP 47; absent: not known.
  public var language: String?
  /// How sure the recogniser is, 0…1; absent: it does not say.
  public var confidence: Double?
  /// The ID of the hosted session that it is of, since whose beginning it counts; absent: none.
  public var hosted: String?
  /// Whether nobody says it: what happened to the session, and is in its transcript; absent: no.
  public var isMarker: Bool?
  /// Whether nobody says it: what this node saw happen, which is in no transcript; absent: no.
  public var isAlert: Bool?
  /// When it began, seconds since 1970, of what is kept; absent: of what goes on.
  public var unixSeconds: Double?

  /// A chunk.
  public init(
    number: Int64, session: String, index: Int, talker: String, talkerID: String,
    startSeconds: Double, seconds: Double, text: String, isFinal: Bool
  ) {
    (self.number, self.session, self.index) = (number, session, index)
    (self.talker, self.talkerID) = (talker, talkerID)
    (self.startSeconds, self.seconds) = (startSeconds, seconds)
    (self.text, self.isFinal) = (text, isFinal)
  }
}
