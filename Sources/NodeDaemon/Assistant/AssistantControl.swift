internal import Assistant
internal import Remote
internal import StatusSchema

/// Carries out the requests about the assistant.
struct AssistantControl {
  private static let usualLimit = 50

  let office: AssistantOffice

  func handle(_ request: AssistantRequest) async -> ControlResponse {
    var answer = AssistantAnswer()
    do throws(AssistantProblem) {
      switch request {
      case .call(let isSpoken, let guest, let line, let caller):
        answer.session = try await office.call(caller, isSpoken: isSpoken, guest: guest, on: line)
      case .turn(let session, let text, let caller):
        answer.session = try await office.turn(text, in: session, caller)
      case .end(let session, let caller):
        try await office.end(session, caller)
        return .ok
      case .consent(let caller): answer.consent = try await office.consent(caller)
      case .agree(let keeps, let caller): answer.consent = try await office.agree(keeps, caller)
      case .sessions(let limit, let caller):
        answer.sessions = try await office.sessions(limit ?? Self.usualLimit, caller)
      case .show(let session, let caller):
        answer.session = try await office.session(session, caller)
      case .delete(let session, let caller):
        let count = try await office.delete(session, caller)
        return .done(note: count == 1 ? "1 session deleted" : "\(count) sessions deleted")
      }
    } catch {
      return .error(message: "\(error)")
    }
    return .assistant(answer)
  }
}

extension SessionStatus {
  init(_ session: AssistantSession) {
    self.init(
      id: session.id, context: session.context.rawValue,
      startedUnixSeconds: Double(session.startedUnixMilliseconds) / 1000)
    endedUnixSeconds = session.endedUnixMilliseconds.map { Double($0) / 1000 }
    title = session.digest?.title
    summary = session.digest?.summary
  }
}

extension SessionStatus.Turn {
  init(_ turn: SessionTurn) {
    self.init(
      speaker: turn.speaker.rawValue, text: turn.text,
      unixSeconds: Double(turn.unixMilliseconds) / 1000, isInterrupted: turn.isInterrupted)
  }
}
