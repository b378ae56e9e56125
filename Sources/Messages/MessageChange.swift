public import Cryptography

/// A message's text that was changed by its sender.
public struct MessageEdit: Hashable, Sendable {
  /// Which message.
  public var target: MessageKey
  /// Where that has to belong.
  public var conversation: Conversation
  /// What it says now.
  public var text: String
  /// When it was changed, by its sender's clock: milliseconds since 1970.
  public var sentUnixMilliseconds: Int64
}

/// What somebody said of a message with a sign.
public struct Reaction: Hashable, Sendable {
  /// Which message.
  public var target: MessageKey
  /// Where that has to belong.
  public var conversation: Conversation
  /// By whom.
  public var node: NodeID
  /// The sign; nil: it was taken back.
  public var sign: String?
}

/// What a ``MessageJournal`` knows of a message.
public struct MessagePlace: Hashable, Sendable {
  /// Where it belongs.
  public var conversation: Conversation
  /// Whether it is a text.
  public var isText: Bool

  /// Makes a place.
  public init(conversation: Conversation, isText: Bool) {
    (self.conversation, self.isText) = (conversation, isText)
  }
}

extension Message {
  /// The earlier message that it is about; nil: it is one by itself.
  var target: MessageKey? {
    switch content {
    case .edit(let sequence, _): MessageKey(sender: key.sender, sequence: sequence)
    case .reaction(let target, _): target
    case .text, .voice, .unknown: nil
    }
  }

  /// What is kept of it.
  ///
  /// A sender's edits and reactions come in its order, so the last one holds.
  var change: JournalChange {
    switch content {
    case .edit(let sequence, let text):
      .edit(
        MessageEdit(
          target: MessageKey(sender: key.sender, sequence: sequence), conversation: conversation,
          text: text, sentUnixMilliseconds: sentUnixMilliseconds))
    case .reaction(let target, let sign):
      .reaction(
        Reaction(target: target, conversation: conversation, node: key.sender, sign: sign))
    case .text, .voice, .unknown: .message(self)
    }
  }

  /// What is told of it.
  var event: MessageEvent { target.map { .changed($0) } ?? .message(self) }
}

extension MessageContent {
  /// Whether a text will do as a sign: short, and nothing in it that no reader sees, but for what joins emoji.
  static func isSign(_ text: String) -> Bool {
    (1...MessageLimits.signBytes).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse: false
        // Joiners, and the tags of flags.
        case .format: [0x200C, 0x200D].contains(scalar.value) || scalar.value >= 0xE0020
        default: true
        }
      }
      && text.unicodeScalars.contains { !$0.properties.isDefaultIgnorableCodePoint }
  }

  init?(edit octets: [UInt8], by key: MessageKey) {
    var reader = OctetReader(octets)
    guard let sequence = try? reader.number(8), let rest = try? reader.bytes(reader.rest),
      MessageLimits.sequences.contains(sequence), sequence < key.sequence,
      (1...MessageLimits.textBytes).contains(rest.count), !rest.contains(0),
      let text = String(validating: rest, as: UTF8.self)
    else { return nil }
    self = .edit(of: sequence, text: text)
  }

  init?(reaction octets: [UInt8]) {
    var reader = OctetReader(octets)
    guard let sender = try? reader.node(), let sequence = try? reader.number(8),
      MessageLimits.sequences.contains(sequence), let rest = try? reader.bytes(reader.rest),
      let sign = String(validating: rest, as: UTF8.self), sign.isEmpty || Self.isSign(sign)
    else { return nil }
    let target = MessageKey(sender: sender, sequence: sequence)
    self = .reaction(to: target, sign: sign.isEmpty ? nil : sign)
  }
}

/// Changes of messages that there are.
extension MessageDesk {
  /// Says something else in an own message.
  ///
  /// It goes to those who are of its conversation now.
  public func edit(
    _ sequence: UInt64, to text: String, now: MessageTime
  ) throws(SayError) {
    let text = try MessageContent(checking: text, isAloud: false)
    guard case .text(let words) = text else { return }
    let target = MessageKey(sender: identity.id, sequence: sequence)
    let place = try place(of: target)
    guard place.isText else { throw .notText }
    _ = try send(.edit(of: sequence, text: words), to: place.conversation, now: now)
  }

  /// Says something of a message by a sign; nil: takes it back.
  public func react(
    to target: MessageKey, _ sign: String?, now: MessageTime
  ) throws(SayError) {
    guard sign.map(MessageContent.isSign) ?? true else { throw .badSign }
    let place = try place(of: target)
    _ = try send(.reaction(to: target, sign: sign), to: place.conversation, now: now)
  }

  private func place(of target: MessageKey) throws(SayError) -> MessagePlace {
    do throws(JournalError) {
      if let place = try journal.place(of: target) { return place }
    } catch {
      throw .journal("\(error)")
    }
    throw .noMessage
  }

  /// What is said of another message has to be of its conversation; the journal takes it of no other either.
  func check(_ message: Message) throws(MessageFault) {
    guard let target = message.target, let place = try? journal.place(of: target) else { return }
    let isEdit = if case .edit = message.content { true } else { false }
    guard place.conversation == message.conversation, place.isText || !isEdit else {
      throw .wrongChange
    }
  }
}
