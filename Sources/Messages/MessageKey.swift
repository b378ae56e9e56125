public import Cryptography

/// Which message it is: a sender never says two different things by one number.
public struct MessageKey: Hashable, Sendable, Comparable {
  /// Who wrote it.
  public let sender: NodeID
  /// Its number among all that its sender wrote, ascending, with gaps.
  public let sequence: UInt64

  /// Makes a key.
  public init(sender: NodeID, sequence: UInt64) {
    self.sender = sender
    self.sequence = sequence
  }

  /// By sender, then in the sender's order.
  public static func < (left: MessageKey, right: MessageKey) -> Bool {
    (left.sender, left.sequence) < (right.sender, right.sequence)
  }
}

/// Names a group among those who have its secret (``Group/tag``).
public struct GroupTag: Hashable, Sendable {
  /// ``Group/tagByteCount`` octets.
  public let octets: [UInt8]

  /// Takes a tag; nil unless it has its length.
  public init?(octets: [UInt8]) {
    guard octets.count == Group.tagByteCount else { return nil }
    self.octets = octets
  }

  /// That of a group.
  public init(of group: Group) { octets = group.tag }
}

/// Whom a message is for, as its sender says.
public enum Audience: Hashable, Sendable {
  /// One node: only that can read it.
  case member
  /// A group: only who has its secret can read it.
  case group(GroupTag)
  /// Those on a line: which one is sealed with the rest.
  case line
  /// What a later version added; kept for others all the same.
  case unknown(kind: UInt8, octets: [UInt8])
}

/// Where a message belongs, as this node sees it.
public enum Conversation: Hashable, Sendable {
  /// With one other node.
  case member(NodeID)
  /// With all of a group.
  case group(GroupTag)
  /// With those on a line.
  case line(LineTag)
}

/// What a message says.
public enum MessageContent: Hashable, Sendable {
  /// Text, 1 to ``MessageLimits/textBytes`` octets of UTF-8.
  case text(String)
  /// A voice message.
  case voice(VoiceClip)
  /// Another text in place of an earlier one of the same sender.
  case edit(of: UInt64, text: String)
  /// A sign at a message, in place of the sender's one before; nil: none.
  case reaction(to: MessageKey, sign: String?)
  /// What a later version added.
  case unknown(kind: UInt8)
}

/// A message as its readers have it.
public struct Message: Hashable, Sendable {
  /// Which it is.
  public var key: MessageKey
  /// Where it belongs.
  public var conversation: Conversation
  /// What it says.
  public var content: MessageContent
  /// When it was written, by its sender's clock: milliseconds since 1970.
  public var sentUnixMilliseconds: Int64
  /// When this node had it, by its own clock.
  public var takenUnixMilliseconds: Int64
  /// For whom it was; empty where this node did not write it.
  public var recipients: [NodeID] = []

  /// Makes a message.
  public init(
    key: MessageKey, conversation: Conversation, content: MessageContent,
    sentUnixMilliseconds: Int64, takenUnixMilliseconds: Int64, recipients: [NodeID] = []
  ) {
    self.key = key
    self.conversation = conversation
    self.content = content
    self.sentUnixMilliseconds = sentUnixMilliseconds
    self.takenUnixMilliseconds = takenUnixMilliseconds
    self.recipients = recipients
  }
}

/// How much of everything there is at most, whatever others send.
public enum MessageLimits {
  /// Numbers that a message can have.
  public static let sequences: Range<UInt64> = 1..<1 << 62
  /// Octets of a text.
  public static let textBytes = 4096
  /// For how many one message can be.
  public static let recipients = 128
  /// Octets of a reaction.
  public static let signBytes = 16
  /// Reactions to one message: one of each member that it can be for, and of its sender.
  public static let reactions = 129
  /// Reactions to messages that are not here, or not yet; and of one node.
  public static let (earlyReactions, earlyReactionsOfNode) = (1024, 64)
  /// Octets of an envelope; a frame of the lane has room for it.
  public static let envelopeBytes = 12 * 1024
  /// Octets of a voice message's audio, sealed: 10 MiB of audio.
  public static let audioBytes =
    10 * 1024 * 1024 / Attachment.pieceBytes
    * (Attachment.pieceBytes + PieceSeal.extraByteCount)
  /// How long one may sound.
  public static let audioMilliseconds = 10 * 60_000
  /// Points of its waveform.
  public static let peaks = 1000
  /// Audio that is asked of others at once.
  static let fetches = 32
  /// Requests of one node for audio that wait at once.
  static let audioRequests = 16
  /// How long a message is kept for who is away, unless its sender says otherwise.
  public static let lifetimeSeconds: UInt32 = 7 * 24 * 3600
  /// The longest that one can be kept.
  public static let longestLifetimeSeconds: UInt32 = 366 * 24 * 3600
  /// Members that keep a sender's messages beside it.
  public static let keepers = 3
  /// Own messages that wait for recipients.
  public static let waiting = 4096
  /// Octets of these, with their audio.
  public static let waitingBytes = 512 * 1024 * 1024
  /// Octets of a line's name.
  static let lineNameBytes = 30
  /// Lines whose people are remembered: those that a node can be on, and `all`.
  public static let lines = 64
  /// Nodes whose key is remembered.
  public static let contacts = 512
  /// Senders that are remembered beside those whose key is.
  static let senders = 4096
  /// Groups that a card tells of.
  static let groups = 16
  /// Receipts of others that are kept for who is away.
  static let foreignReceipts = 1024
  /// Refusals that wait to be sent to one node.
  static let refusals = 16
}

/// Two clocks: a steady one, and the one on the wall.
public struct MessageTime: Hashable, Sendable {
  /// CLOCK_MONOTONIC, or any other that only goes on.
  public var steadyNanoseconds: Int64
  /// Milliseconds since 1970, as far as this machine knows; nothing but what is shown to people depends on it.
  public var unixMilliseconds: Int64

  /// Takes both.
  public init(steadyNanoseconds: Int64, unixMilliseconds: Int64) {
    self.steadyNanoseconds = steadyNanoseconds
    self.unixMilliseconds = unixMilliseconds
  }
}
