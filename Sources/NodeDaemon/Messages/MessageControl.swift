internal import Cryptography
internal import Intercom
internal import Journal
internal import Messages
internal import Remote
internal import StatusSchema

/// Carries out the requests about messages; other requests are refused.
struct MessageControl {
  private static let group = "group"

  let office: MessageOffice
  let membership: Membership

  func handle(_ request: ControlRequest) async -> ControlResponse {
    do {
      switch request {
      case .say(let to, let text):
        return .messages([try await office.say(text, to: try await conversation(to))])
      case .messages(let request): return .messages(try await messages(request))
      case .messagesClear(let text):
        var conversation: Conversation?
        if let text { conversation = try await self.conversation(text) }
        let count = try await office.clear(conversation)
        return .done(note: count == 1 ? "1 message deleted here" : "\(count) messages deleted here")
      default: return .error(message: "not a request about messages")
      }
    } catch {
      return .error(message: "\(error)")
    }
  }

  /// Messages of the history.
  func messages(_ request: MessageRequest) async throws -> [MessageStatus] {
    var query = HistoryQuery()
    if let text = request.with { query.conversation = try await conversation(text) }
    query.words = request.search
    (query.after, query.before) = (request.after, request.before)
    query.isVoice = request.voice ?? false
    if let limit = request.limit {
      guard MessageRequest.limitRange.contains(limit) else {
        throw IntercomError.refused(
          "limit must be from 1 to \(MessageRequest.limitRange.upperBound), not \(limit)")
      }
      query.limit = limit
    }
    let range = MessageRequest.waitRangeSeconds
    let wait = request.waitSeconds ?? 0
    guard range.contains(wait) else {
      throw IntercomError.refused("waitSeconds must be from 0 to \(range.upperBound), not \(wait)")
    }
    return try await office.messages(
      query, waitSeconds: wait, marksRead: request.marksRead ?? false)
  }

  /// What a user means by `group`, `group:NAME`, or a member's name, words or fingerprint.
  func conversation(_ text: String) async throws -> Conversation {
    if text == Self.group { return try await office.group(named: nil) }
    if text.hasPrefix("\(Self.group):") {
      return try await office.group(named: String(text.dropFirst(Self.group.count + 1)))
    }
    return .member(try await membership.node(named: text))
  }
}
