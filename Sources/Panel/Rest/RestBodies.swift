internal import Glibc
internal import Remote
internal import StatusSchema

/// The JSON of REST, as `docs/openapi.json` describes it.
enum RestBody {
  struct Fault: Encodable {
    struct Words: Encodable { var code: String, message: String }
    var error: Words

    init(_ fault: RestFault) {
      error = Words(code: fault.code.rawValue, message: fault.words)
    }
  }

  struct Conversations: Encodable {
    struct Item: Encodable {
      private enum CodingKeys: String, CodingKey {
        case id, name, kind, unread
        case last = "last_sequence_number"
      }
      var id: String, name: String, kind: String, last: Int64, unread: Int
    }
    var conversations: [Item]

    init(_ all: [RestConversation]) {
      conversations = all.map {
        Item(
          id: $0.id, name: $0.name, kind: $0.kind.rawValue, last: $0.last,
          unread: $0.unread)
      }
    }
  }

  struct Messages: Encodable {
    private enum CodingKeys: String, CodingKey {
      case messages
      case nextBefore = "next_before"
    }

    var messages: [Message]
    /// What to ask `before` for the page before; nil: there is none.
    var nextBefore: Int64?
  }

  struct Message: Encodable {
    private enum CodingKeys: String, CodingKey {
      case id, kind, text, audio, sender, recipients
      case sequenceNumber = "sequence_number"
      case conversationID = "conversation_id"
      case sentAt = "sent_at"
      case createdAt = "created_at"
      case isRead = "is_read"
      case editedAt = "edited_at"
      case reactions
    }

    struct Sender: Encodable {
      private enum CodingKeys: String, CodingKey {
        case id, name
        case isSelf = "is_self"
      }
      var id: String, name: String, isSelf: Bool
    }

    struct Recipient: Encodable { var id: String, name: String, state: String }

    struct Reaction: Encodable { var emoji: String, sender: Sender }

    struct Audio: Encodable {
      private enum CodingKeys: String, CodingKey {
        case duration, peaks, transcript, url
        case mimeType = "mime_type"
      }
      var duration: Double, mimeType = "audio/ogg", peaks: String, url: String
      var transcript: String?
    }

    var id: String, sequenceNumber: Int64, conversationID: String, kind: String
    var text: String?
    var audio: Audio?
    var sender: Sender
    var sentAt: String, createdAt: String, isRead: Bool
    var recipients: [Recipient]?
    var editedAt: String?
    var reactions: [Reaction]?

    init(_ message: MessageStatus, of conversation: String, at path: String) {
      (id, sequenceNumber) = ("\(message.number)", message.number)
      conversationID = conversation
      kind = message.text != nil ? "text" : message.voice != nil ? "audio" : "unknown"
      text = message.text
      audio = message.voice.map {
        Audio(
          duration: $0.seconds, peaks: $0.peaks, url: "\(path)/\(message.number)/audio",
          transcript: $0.transcript)
      }
      sender = Sender(id: message.senderID, name: message.sender, isSelf: message.isOwn)
      sentAt = InternetTime.text(message.sentUnixSeconds)
      createdAt = InternetTime.text(message.takenUnixSeconds)
      isRead = message.isRead
      recipients = message.recipients?.map {
        Recipient(id: $0.id, name: $0.name, state: $0.state)
      }
      editedAt = message.editedUnixSeconds.map(InternetTime.text)
      reactions = message.reactions?.map {
        Reaction(
          emoji: $0.sign, sender: Sender(id: $0.id, name: $0.name, isSelf: $0.name.isEmpty))
      }
    }
  }

  struct Created: Encodable {
    private enum CodingKeys: String, CodingKey {
      case id
      case sequenceNumber = "sequence_number"
      case createdAt = "created_at"
    }
    var id: String, sequenceNumber: Int64, createdAt: String

    init(_ message: MessageStatus) {
      (id, sequenceNumber) = ("\(message.number)", message.number)
      createdAt = InternetTime.text(message.takenUnixSeconds)
    }
  }

  struct UploadAddress: Encodable {
    private enum CodingKeys: String, CodingKey {
      case url, headers
      case expiresAt = "expires_at"
    }
    var url: String, headers: [String: String], expiresAt: String
  }

  struct Uploaded: Encodable {
    private enum CodingKeys: String, CodingKey { case fileSize = "file_size" }
    var fileSize: Int
  }

  struct Text: Decodable { var text: String }

  struct SayWish: Decodable {
    private enum CodingKeys: String, CodingKey {
      case text
      case isAloud = "is_aloud"
    }
    var text: String, isAloud: Bool?
  }

  struct Sign: Decodable { var emoji: String }

  struct UploadWish: Decodable {
    private enum CodingKeys: String, CodingKey {
      case fileName = "file_name"
      case fileSize = "file_size"
      case mimeType = "mime_type"
    }
    var fileName: String, fileSize: Int, mimeType: String
  }

  struct AudioWish: Decodable {
    private enum CodingKeys: String, CodingKey {
      case duration
      case audioURL = "audio_url"
      case fileSize = "file_size"
      case mimeType = "mime_type"
    }
    var audioURL: String, duration: Double?, fileSize: Int?, mimeType: String?
  }
}

/// Times as the internet writes them (RFC 3339).
enum InternetTime {
  /// In UTC, with milliseconds; within the years 0 to 9999.
  static func text(_ unixSeconds: Double) -> String {
    let bounded = min(max(unixSeconds, -62_167_219_200), 253_402_300_799)
    let milliseconds = Int64((bounded * 1000).rounded(.down))
    var seconds = time_t(milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000)
    var parts = unsafe tm()
    unsafe gmtime_r(&seconds, &parts)
    let day = unsafe (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
    let time = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map { Int($0) }
    func digits(_ number: Int, _ count: Int) -> String {
      let text = "\(number)"
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    let date = "\(digits(day.0, 4))-\(digits(day.1, 2))-\(digits(day.2, 2))"
    let clock = time.map { digits($0, 2) }.joined(separator: ":")
    return "\(date)T\(clock).\(digits(Int(milliseconds - Int64(seconds) * 1000), 3))Z"
  }
}
