internal import Panel
internal import Remote
internal import StatusSchema

/// What the page's REST asks of the assistant.
struct AssistantRest: RestAssistant {
  let office: AssistantOffice

  func start(_ caller: AssistantCaller) async throws(RestFault) -> SessionStatus {
    do throws(AssistantProblem) {
      return try await office.call(caller, isSpoken: false)
    } catch {
      throw error.fault
    }
  }

  func turn(
    _ text: String, in session: String, _ caller: AssistantCaller
  ) async throws(RestFault) -> SessionStatus {
    do throws(AssistantProblem) {
      return try await office.turn(text, in: session, caller)
    } catch {
      throw error.fault
    }
  }

  func end(_ session: String, _ caller: AssistantCaller) async throws(RestFault) {
    do throws(AssistantProblem) {
      try await office.end(session, caller)
    } catch {
      throw error.fault
    }
  }

  func sessions(
    _ limit: Int, _ caller: AssistantCaller
  ) async throws(RestFault) -> [SessionStatus] {
    do throws(AssistantProblem) {
      return try await office.sessions(limit, caller)
    } catch {
      throw error.fault
    }
  }

  func session(_ id: String, _ caller: AssistantCaller) async throws(RestFault) -> SessionStatus {
    do throws(AssistantProblem) {
      return try await office.session(id, caller)
    } catch {
      throw error.fault
    }
  }

  func delete(_ session: String, _ caller: AssistantCaller) async throws(RestFault) {
    do throws(AssistantProblem) {
      _ = try await office.delete(session, caller)
    } catch {
      throw error.fault
    }
  }
}

extension AssistantProblem {
  /// The same for a program.
  fileprivate var fault: RestFault {
    let code: RestFault.Code =
      switch self {
      case .off, .noSession, .over: .notFound
      case .notAgreed: .conflict
      case .full: .tooMany
      case .empty: .unprocessable
      case .noPhone: .conflict
      case .forbidden: .forbidden
      case .mute, .key, .failed: .failed
      case .disk: .noRoom
      }
    return RestFault(code, "\(self)")
  }
}

/// What the page's REST asks of the node.
struct NodeRest: Sendable {
  let messages: MessageRest
  let assistant: AssistantRest
}

extension NodeControl {
  /// The same for programs.
  var rest: NodeRest {
    NodeRest(
      messages: MessageRest(office, connections.membership, lines.lines),
      assistant: AssistantRest(office: assistant.office))
  }
}
