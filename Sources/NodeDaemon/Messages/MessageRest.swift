internal import Intercom
internal import Journal
internal import Messages
internal import Panel
internal import Recording
internal import Remote
internal import StatusSchema

/// What the page's REST asks of messages.
struct MessageRest: RestNode {
  private let office: MessageOffice
  /// Who is meant by what paths say.
  private let names: MessageControl

  init(_ office: MessageOffice, _ membership: Membership, _ lines: LineService) {
    self.office = office
    names = MessageControl(office: office, membership: membership, lines: lines)
  }

  func conversations() async throws(RestFault) -> [RestConversation] {
    await office.conversations
  }

  func messages(_ request: MessageRequest) async throws(RestFault) -> [MessageStatus] {
    try await told { try await names.messages(request) }
  }

  func message(
    _ number: Int64, of conversation: String
  ) async throws(RestFault) -> MessageStatus {
    var request = MessageRequest()
    (request.with, request.after, request.before) = (conversation, number - 1, number)
    // Numbers end where this one could not be followed.
    request.before = number == .max ? nil : number + 1
    guard let message = try await messages(request).first else {
      throw RestFault(.notFound, "there is no message \(number) in this conversation")
    }
    return message
  }

  func audio(of number: Int64, _ conversation: String) async throws(RestFault) -> [UInt8] {
    guard try await message(number, of: conversation).voice != nil else {
      throw RestFault(.notFound, "message \(number) is no voice message")
    }
    return try await told { () async throws in
      do {
        return try await office.audio(of: number, marksRead: false)
      } catch let error as JournalError {
        throw RestFault(.notFound, "\(error)")
      }
    }
  }

  func delete(_ number: Int64, of conversation: String) async throws(RestFault) {
    _ = try await message(number, of: conversation)
    try await told { try await office.remove(number) }
  }

  func say(
    _ text: String, isAloud: Bool, to conversation: String
  ) async throws(RestFault) -> MessageStatus {
    try await told {
      try await office.say(text, isAloud: isAloud, to: try await names.conversation(conversation))
    }
  }

  func edit(
    _ number: Int64, of conversation: String, to text: String
  ) async throws(RestFault) -> MessageStatus {
    _ = try await message(number, of: conversation)
    return try await told { try await office.edit(number, to: text) }
  }

  func react(
    to number: Int64, of conversation: String, _ emoji: String?
  ) async throws(RestFault) -> MessageStatus {
    _ = try await message(number, of: conversation)
    return try await told { try await office.react(to: number, emoji) }
  }

  func send(
    _ file: [UInt8], to conversation: String
  ) async throws(RestFault) -> MessageStatus {
    try await told {
      let conversation = try await names.conversation(conversation)
      let clip = try await VoiceMessageControl.clip(of: file)
      return try await office.send(clip, to: conversation)
    }
  }

  private func told<Value>(
    _ body: () async throws -> Value
  ) async throws(RestFault) -> Value {
    do {
      return try await body()
    } catch {
      throw RestFault(error)
    }
  }
}

extension RestFault {
  /// What an error of messages is to a program.
  fileprivate init(_ error: any Error) {
    switch error {
    case let fault as RestFault: self = fault
    case let error as SayError: self.init(error.code, "\(error)")
    case let error as ClipError: self.init(error.code, "\(error)")
    case let error as JournalError: self.init(.noRoom, "\(error)")
    case let error as IntercomError: self.init(error.code, "\(error)")
    default: self.init(.failed, "\(error)")
    }
  }
}

extension SayError {
  fileprivate var code: RestFault.Code {
    switch self {
    case .text(let count) where count > MessageLimits.textBytes: .tooLarge
    case .audio(let count) where count > 0: .tooLarge
    case .text, .aloud, .audio, .length, .oneself, .tooMany, .notText, .badSign: .unprocessable
    case .unknownMember, .nobody, .notOnLine, .nobodyOnLine: .conflict
    case .crowded: .tooMany
    case .whichGroup, .noGroup, .badLine, .memberAndLine, .noMessage: .notFound
    case .crypto: .failed
    case .journal: .noRoom
    }
  }
}

extension ClipError {
  fileprivate var code: RestFault.Code {
    switch self {
    case .tooLarge, .tooLong: .tooLarge
    case .empty, .damaged, .tooMuch: .unprocessable
    case .unknownKind, .missing: .unsupportedMedia
    case .decoder, .audio: .failed
    }
  }
}

extension IntercomError {
  fileprivate var code: RestFault.Code {
    switch self {
    case .unknownPeer, .refused: .notFound
    default: .failed
    }
  }
}
