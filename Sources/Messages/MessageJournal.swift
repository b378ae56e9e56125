public import Cryptography

/// What a node keeps of its messages from run to run, safe from power cuts.
///
/// One call at a time; calls may wait for a disk. All changes of one ``write(_:)`` are kept, or none of them.
public protocol MessageJournal: AnyObject {
  /// What was kept, but messages and envelopes.
  func load() throws(JournalError) -> JournalState
  /// Returns once all of it survives a power cut.
  func write(_ changes: [JournalChange]) throws(JournalError)
  /// The octets of an envelope that is held; nil: it is not.
  func envelope(_ key: MessageKey) throws(JournalError) -> [UInt8]?
  /// Where a message of the history belongs; nil: it is not there.
  func place(of key: MessageKey) throws(JournalError) -> MessagePlace?
  /// A sealed piece of audio; nil: it is not there.
  func piece(_ number: Int, of audio: AudioName) throws(JournalError) -> [UInt8]?
}

/// Why something cannot be kept or read, in words for a person.
public struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The words.
  public let description: String
  /// Whether what was kept is damaged.
  public let isDamage: Bool

  /// Takes the words.
  public init(_ description: String, isDamage: Bool = false) {
    self.description = description
    self.isDamage = isDamage
  }
}

/// Something that changes in a ``MessageJournal``.
public enum JournalChange: Hashable, Sendable {
  /// A node's key, and the groups that it and this node are in.
  case contact(NodeID, Contact)
  /// A node that is no more remembered.
  case forget(NodeID)
  /// A message for the history.
  case message(Message)
  /// Another text in a message of the history that is a text of that conversation; else nothing.
  case edit(MessageEdit)
  /// A sign at a message of that conversation, also one that is not there yet.
  case reaction(Reaction)
  /// Sealed audio, from a piece on; it stays while a message or an envelope that is held has it.
  case pieces(AudioName, first: Int, [[UInt8]])
  /// Audio that is of no use.
  case forgetAudio(AudioName)
  /// An envelope, to be held.
  case hold(HeldEnvelope, octets: [UInt8])
  /// For whom an envelope is still held; nobody: it goes.
  case remaining(MessageKey, [NodeID])
  /// Up to where this node has all that a sender sent it, and its user read all.
  case mark(NodeID, MessageMark)
  /// Who is on a line; nil: the line is forgotten.
  case line(LineTag, KeptLine?)
  /// Up to where another node has all that this one sent it, and its user read all.
  case receipt(NodeID, MessageMark)
  /// The last number that this node gave a message.
  case sequence(UInt64)
  /// How long the node ran, over all its runs.
  case runSeconds(UInt64)
}

/// A node that messages can be sealed for.
public struct Contact: Hashable, Sendable {
  /// Its key.
  public var key: PublicKey
  /// The groups that it and this node are in.
  public var groups: Set<GroupTag>

  /// Makes a contact.
  public init(key: PublicKey, groups: Set<GroupTag>) {
    self.key = key
    self.groups = groups
  }
}

/// How far somebody is with what somebody sent.
public struct MessageMark: Hashable, Sendable {
  /// The sequence up to which all is there.
  public var delivered: UInt64
  /// The sequence up to which all is read.
  public var read: UInt64

  /// Nothing yet, unless said otherwise.
  public init(delivered: UInt64 = 0, read: UInt64 = 0) {
    self.delivered = delivered
    self.read = read
  }

  /// The further of both, of each.
  func merged(_ other: MessageMark) -> MessageMark {
    MessageMark(delivered: max(delivered, other.delivered), read: max(read, other.read))
  }
}

/// An envelope in a ``MessageJournal``, without its octets.
public struct HeldEnvelope: Hashable, Sendable {
  /// Which message it is.
  public var key: MessageKey
  /// Its length, without the audio.
  public var byteCount: Int
  /// The audio that belongs to it.
  public var attachment: Attachment?
  /// Who does not have it yet.
  public var remaining: [NodeID]
  /// Until when it is held, seconds of the node's running (``JournalState/runSeconds``).
  public var untilRunSeconds: UInt64
  /// Who alone may be asked to keep it, and know of it; nobody: whoever can.
  public var readers: [NodeID]

  /// Octets on the disk, with the audio.
  var keptByteCount: Int { byteCount + (attachment?.byteCount ?? 0) }

  /// Makes an entry.
  public init(
    key: MessageKey, byteCount: Int, attachment: Attachment? = nil, remaining: [NodeID],
    untilRunSeconds: UInt64, readers: [NodeID] = []
  ) {
    self.key = key
    self.byteCount = byteCount
    self.attachment = attachment
    self.remaining = remaining
    self.untilRunSeconds = untilRunSeconds
    self.readers = readers
  }
}

/// What a ``MessageJournal`` holds beside messages and envelopes.
public struct JournalState: Hashable, Sendable {
  /// Nodes whose key is known.
  public var contacts: [NodeID: Contact] = [:]
  /// How far this node is with what others sent, by sender.
  public var marks: [NodeID: MessageMark] = [:]
  /// How far others are with what this node sent, by recipient.
  public var receipts: [NodeID: MessageMark] = [:]
  /// Lines that this node is on, or was, and who else.
  public var lines: [LineTag: KeptLine] = [:]
  /// Envelopes that are held.
  public var held: [HeldEnvelope] = []
  /// Audio of messages and envelopes that is there as a whole.
  public var audio: Set<AudioName> = []
  /// The last number that this node gave a message.
  public var sequence: UInt64 = 0
  /// How long the node ran, over all its runs: no clock on a wall can be trusted on a board without a battery.
  public var runSeconds: UInt64 = 0

  /// Nothing kept yet.
  public init() {}
}
