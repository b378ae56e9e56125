/// Why something that another node sent is not taken.
public enum MessageFault: String, Error, Hashable, Sendable, CaseIterable {
  /// No frame, card, envelope, receipt or refusal at all, or with octets missing or left over.
  case malformed
  /// Of a version that this software does not speak.
  case version
  /// Longer than an envelope may be, or for too many.
  case oversized
  /// The signature is not the sender's.
  case forged
  /// It is neither for this node nor to be kept by it.
  case misdirected
  /// A request to keep what somebody else wrote.
  case notTheSender
  /// Nobody can read it: another group's secret, a damaged box, or no text.
  case unreadable
  /// By a node that is blocked, or that this node does not know.
  case stranger
  /// There is no room for what is kept for others.
  case full
  /// What comes before it is still missing.
  case missing
  /// Audio that is not what its message says, or that nobody asked for.
  case wrongAudio = "wrong-audio"
  /// Another text, or a sign, for a message of another conversation, or another text for what is none.
  case wrongChange = "wrong-change"
  /// It cannot be written to disk.
  case disk

  /// For people.
  public var words: String {
    switch self {
    case .malformed: "a frame that is not well-formed"
    case .version: "a message of another version; update the older node"
    case .oversized: "a message that is too long, or for too many"
    case .forged: "a message whose signature is not its sender's"
    case .misdirected: "a message that is for others"
    case .notTheSender: "a request to keep a message that another node wrote"
    case .unreadable:
      "a message that cannot be opened: its group's secret is another, or it is damaged"
    case .stranger: "a message by a node that is blocked, or was never a member here"
    case .full: "no room for what is kept for others; raise --message-keep there"
    case .missing: "a message before those that come first"
    case .wrongAudio: "audio that is not what its message says, or that was not asked for"
    case .wrongChange:
      "an edit or a reaction for a message of another conversation, or an edit of what is no text"
    case .disk: "the disk takes no messages"
    }
  }

  /// The number of the reason on the wire: of those that a refusal tells.
  var code: UInt8 {
    switch self {
    case .full: 1
    case .missing: 2
    case .disk: 3
    default: 0
    }
  }

  init?(code: UInt8) {
    guard let fault = Self.allCases.first(where: { $0.code == code && code > 0 }) else {
      return nil
    }
    self = fault
  }
}

/// Why a message cannot be sent.
public enum SayError: Error, Hashable, Sendable {
  /// It is empty, too long, or holds a zero octet.
  case text(byteCount: Int)
  /// It is too long to be spoken.
  case aloud(characterCount: Int)
  /// A voice message is empty, or too long.
  case audio(byteCount: Int)
  /// It is silent, or too long.
  case length(milliseconds: Int)
  /// The node was never a member since it could take messages, so its key is not known.
  case unknownMember
  /// It is for this node itself.
  case oneself
  /// Nobody else of the group is known yet.
  case nobody
  /// More of the group are known than a message can be for.
  case tooMany(count: Int)
  /// So many messages wait already.
  case crowded
  /// There is no such message.
  case noMessage
  /// It is another's, or a voice message.
  case notText
  /// It is no sign.
  case badSign
  /// This node is not on that line.
  case notOnLine(String)
  /// Nobody else is known on the line.
  case nobodyOnLine(String)
  /// No line is called so.
  case badLine(String)
  /// A member and a line are called so.
  case memberAndLine(String)
  /// It is in several.
  case whichGroup([String])
  /// This node is not in that group.
  case noGroup
  /// It cannot be signed or sealed.
  case crypto(String)
  /// It cannot be kept.
  case journal(String)
}

extension SayError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .text(0): "there is nothing to say; give a text"
    case .text(let count) where count > MessageLimits.textBytes:
      "the text has \(count) bytes; a message has at most \(MessageLimits.textBytes): send it in parts"
    case .text: "the text holds a zero byte; leave it out"
    case .aloud(let count):
      "the text has \(count) characters; one that is to be spoken has at most "
        + "\(AloudQueue.mostCharacters): send it in parts, or without --aloud"
    case .audio(0): "there is nothing to hear; record or name some audio"
    case .audio(let count):
      "the audio has \(count) bytes; a voice message has at most 10 MiB: send it in parts"
    case .length(let milliseconds):
      milliseconds < 1
        ? "there is nothing to hear; record or name some audio"
        : "the audio has \(milliseconds / 60_000) minutes; a voice message has at most "
          + "\(MessageLimits.audioMilliseconds / 60_000): send it in parts"
    case .unknownMember:
      "that node has not been a member since it could take messages; send once it is connected"
    case .oneself: "that is this node; name another"
    case .nobody: "nobody else of the group is known yet; send once a member was connected"
    case .tooMany(let count):
      "that would be for \(count) nodes, and a message is for \(MessageLimits.recipients) at most: "
        + "name one"
    case .noMessage: "there is no such message of this conversation here; see comlink messages"
    case .notText: "only an own text can be edited; say something new"
    case .badSign:
      "a reaction is an emoji, or a word, of at most \(MessageLimits.signBytes) bytes, or none"
    case .notOnLine(let name):
      "this node is not on line \(name); join it with: comlink line join '\(name)'"
    case .nobodyOnLine(let name):
      "nobody else is on line \(name), or was lately; send once somebody has joined it"
    case .badLine(let name): "no line can be called \"\(name.prefix(40))\""
    case .memberAndLine(let name):
      "a member and a line are called \(name); say line:\(name), or the member's words"
    case .crowded:
      "\(MessageLimits.waiting) messages already wait for nodes that are away; "
        + "send more when they are back"
    case .whichGroup(let names):
      "this node is in several groups; name one: \(names.joined(separator: ", "))"
    case .noGroup: "this node is not in that group; join it with comlink group join"
    case .crypto(let words): "the message cannot be sealed: \(words)"
    case .journal(let words): "the message is not sent, as it cannot be kept: \(words)"
    }
  }
}
