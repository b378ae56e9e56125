internal import Cryptography
internal import Intercom
internal import Journal
internal import Lines
internal import Messages
internal import Remote
internal import StatusSchema

/// Carries out the requests about messages; other requests are refused.
struct MessageControl {
  private static let group = "group"
  private static let line = "line:"

  let office: MessageOffice
  let membership: Membership
  let lines: LineService

  func handle(_ request: ControlRequest) async -> ControlResponse {
    do {
      switch request {
      case .say(let to, let text, let isAloud):
        return .messages([
          try await office.say(text, isAloud: isAloud, to: try await conversation(to))
        ])
      case .messages(let request): return .messages(try await messages(request))
      case .messagesClear(let text):
        var conversation: Conversation?
        if let text { conversation = try await self.conversation(text) }
        let count = try await office.clear(conversation)
        return .done(note: count == 1 ? "1 message deleted here" : "\(count) messages deleted here")
      case .messageAct(.edit(let number, let text)):
        return .messages([try await office.edit(number, to: text)])
      case .messageAct(.react(let number, let sign)):
        return .messages([try await office.react(to: number, sign)])
      case .messageAct(.keep(let line, let days)): return .done(note: try await keep(line, days))
      default: return .error(message: "not a request about messages")
      }
    } catch {
      return .error(message: "\(error)")
    }
  }

  /// How long messages of a line are kept, in words; set before where it is said.
  private func keep(_ given: String, _ text: String?) async throws -> String {
    let name = given.hasPrefix(Self.line) ? String(given.dropFirst(Self.line.count)) : given
    guard case .line(let tag) = try await line(name) else {
      throw SayError.badLine(name)
    }
    if let text {
      guard let setting = LineMessageDays(text) else {
        throw IntercomError.refused(LineMessageDays.expected)
      }
      try await office.keep(tag, days: setting.days)
    }
    switch await office.days(of: tag) {
    case nil: return "messages of line \(name) are kept as all others are"
    case 0: return "messages of line \(name) are not kept once they are read and delivered"
    case 1: return "messages of line \(name) are kept for a day"
    case let days?: return "messages of line \(name) are kept for \(days) days"
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

  /// The conversation of a line, by who is on it now.
  private func line(_ name: String) async throws -> Conversation {
    // What the user did last may not have been told there.
    await office.take(await lines.currentCompany)
    return try await office.line(named: name)
  }

  /// What a user means by `group`, `group:NAME`, `line:NAME`, a line's name, or a member's name, words or fingerprint.
  func conversation(_ text: String) async throws -> Conversation {
    if text == Self.group { return try await office.group(named: nil) }
    if text.hasPrefix("\(Self.group):") {
      return try await office.group(named: String(text.dropFirst(Self.group.count + 1)))
    }
    if text.hasPrefix(Self.line) {
      return try await line(String(text.dropFirst(Self.line.count)))
    }
    guard let name = try? LineName(text), await lines.views.contains(where: { $0.name == name })
    else { return .member(try await membership.node(named: text)) }
    do throws(IntercomError) {
      _ = try await membership.node(named: text)
    } catch {
      guard case .unknownPeer = error else { throw error }
      return try await line(text)
    }
    throw SayError.memberAndLine(text)
  }
}
