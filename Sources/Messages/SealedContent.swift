internal import Cryptography

/// What is in the box: the sender's ID and the sequence, which bind it to its message, kind of content (1 octet), when
/// it was written (8), and the content.
struct SealedContent: Hashable {
  private static let textKind: UInt8 = 1
  private static let voiceKind: UInt8 = 2
  private static let editKind: UInt8 = 3
  private static let reactionKind: UInt8 = 4
  /// A text that is to be spoken where it arrives.
  private static let aloudKind: UInt8 = 5

  var content: MessageContent
  var sentUnixMilliseconds: Int64
  /// Whether it, a text, is to be spoken.
  var isAloud = false

  init(_ content: MessageContent, isAloud: Bool = false, sentUnixMilliseconds: Int64) {
    self.content = content
    self.isAloud = isAloud
    self.sentUnixMilliseconds = sentUnixMilliseconds
  }

  init(
    _ plain: [UInt8], of key: MessageKey, with attachment: Attachment?
  ) throws(MessageFault) {
    var reader = OctetReader(plain)
    do throws(MessageFault) {
      guard try reader.node() == key.sender, try reader.number(8) == key.sequence else {
        throw .unreadable
      }
      let kind = UInt8(try reader.number(1))
      sentUnixMilliseconds = Int64(bitPattern: try reader.number(8))
      isAloud = kind == Self.aloudKind
      content = try Self.content(
        of: kind, Array(try reader.bytes(reader.rest)), by: key, with: attachment)
    } catch {
      throw .unreadable
    }
  }

  private static func content(
    of kind: UInt8, _ octets: [UInt8], by key: MessageKey, with attachment: Attachment?
  ) throws(MessageFault) -> MessageContent {
    switch kind {
    case textKind, aloudKind:
      guard (1...MessageLimits.textBytes).contains(octets.count), !octets.contains(0),
        attachment == nil, let text = String(validating: octets, as: UTF8.self)
      else { throw .unreadable }
      return .text(text)
    case voiceKind:
      guard let attachment, let clip = VoiceClip(octets, of: attachment) else {
        throw .unreadable
      }
      return .voice(clip)
    case editKind, reactionKind:
      let content =
        kind == editKind
        ? MessageContent(edit: octets, by: key) : MessageContent(reaction: octets)
      guard attachment == nil, let content else { throw .unreadable }
      return content
    default: return .unknown(kind: kind)
    }
  }

  /// The message that it is of, as its reader has it.
  func message(
    _ key: MessageKey, in conversation: Conversation, takenAt now: MessageTime
  ) -> Message {
    Message(
      key: key, conversation: conversation, content: content,
      sentUnixMilliseconds: sentUnixMilliseconds, takenUnixMilliseconds: now.unixMilliseconds)
  }

  func octets(of key: MessageKey) -> [UInt8] {
    var writer = OctetWriter()
    writer.bytes(key.sender.octets)
    writer.number(key.sequence, byteCount: 8)
    switch content {
    case .text(let text):
      writer.bytes([isAloud ? Self.aloudKind : Self.textKind])
      writer.number(UInt64(bitPattern: sentUnixMilliseconds), byteCount: 8)
      writer.bytes(text.utf8)
    case .voice(let clip):
      writer.bytes([Self.voiceKind])
      writer.number(UInt64(bitPattern: sentUnixMilliseconds), byteCount: 8)
      writer.bytes(clip.octets)
    case .edit(let sequence, let text):
      writer.bytes([Self.editKind])
      writer.number(UInt64(bitPattern: sentUnixMilliseconds), byteCount: 8)
      writer.number(sequence, byteCount: 8)
      writer.bytes(text.utf8)
    case .reaction(let target, let sign):
      writer.bytes([Self.reactionKind])
      writer.number(UInt64(bitPattern: sentUnixMilliseconds), byteCount: 8)
      writer.bytes(target.sender.octets)
      writer.number(target.sequence, byteCount: 8)
      writer.bytes((sign ?? "").utf8)
    case .unknown(let kind):
      writer.bytes([kind])
      writer.number(UInt64(bitPattern: sentUnixMilliseconds), byteCount: 8)
    }
    return writer.octets
  }
}

extension MessageContent {
  /// A text that a user wrote; blanks alone are none.
  ///
  /// - Parameter isAloud: it is to be spoken.
  init(checking text: String, isAloud: Bool) throws(SayError) {
    let count = text.allSatisfy(\.isWhitespace) ? 0 : text.utf8.count
    guard (1...MessageLimits.textBytes).contains(count), !text.utf8.contains(0) else {
      throw .text(byteCount: count)
    }
    guard !isAloud || text.count <= AloudQueue.mostCharacters else {
      throw .aloud(characterCount: text.count)
    }
    self = .text(text)
  }

  /// The audio that belongs to it.
  public var attachment: Attachment? {
    if case .voice(let clip) = self { clip.attachment } else { nil }
  }
}
