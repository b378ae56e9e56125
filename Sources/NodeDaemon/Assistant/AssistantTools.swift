internal import Assistant
internal import Doctor
internal import Logging
internal import Panel
internal import Remote
internal import StatusSchema
internal import Synchronization

/// Uses tools for the assistant, as the caller could themselves and no more; each use is logged.
final class AssistantTools: Sendable {
  /// Letters of what one tool finds.
  private static let mostLetters = 2000

  let allowed: [AssistantTool]
  private let node = Mutex<(any Perform)?>(nil)
  private let log: Logger

  /// Who carries requests out.
  typealias Perform = Sendable & AssistantHands

  init(_ allowed: [AssistantTool], log: Logger) { (self.allowed, self.log) = (allowed, log) }

  /// From now on this carries out what is wanted.
  func attach(_ hands: any Perform) { node.withLock { $0 = hands } }

  /// What the model is offered for somebody with these rights.
  func offers(to rights: PageRights) -> [ToolOffer] {
    allowed.filter { $0.neededRights <= rights }.map(\.offer)
  }

  /// Uses one.
  ///
  /// - Returns: what it found, or why not, for the model.
  func use(_ call: ToolCall, with rights: PageRights, caller: String) async -> ToolResult {
    let tool = allowed.first { $0.offer.name == call.name }
    let outcome = await outcome(of: tool, call, rights)
    log.event(
      .assistantTool, "the assistant uses a tool",
      [
        "tool": "\(tool?.rawValue ?? "unknown")", "caller": "\(caller)",
        "outcome": "\(outcome.isDone ? "done" : outcome.words.prefix(200))",
      ])
    return ToolResult(call, String(outcome.words.prefix(Self.mostLetters)))
  }

  private func outcome(
    of tool: AssistantTool?, _ call: ToolCall, _ rights: PageRights
  ) async -> (isDone: Bool, words: String) {
    guard let tool, tool.neededRights <= rights else {
      return (false, "there is no such tool for this caller")
    }
    guard let request = tool.request(call.arguments) else {
      return (false, "the arguments are not what the tool takes; look at its description")
    }
    guard let hands = node.withLock({ $0 }) else { return (false, "the node is starting") }
    switch (tool, await hands.handle(request)) {
    case (_, .error(let words)): return (false, words)
    case (.lines, .status(let status)): return (true, Self.lines(status))
    case (.doctor, .status(let status)):
      let findings = await Examination.findings(of: status).filter { $0.level != .ok }
      return (true, FindingTable.text(findings))
    case (_, .done(let note)): return (true, "done: \(note)")
    default: return (true, "done")
    }
  }

  private static func lines(_ status: Status) -> String {
    let lines = (status.lines ?? []).map { line in
      let here = line.isJoined ? ["this station"] : []
      let members = (here + line.members).joined(separator: ", ")
      let talkers = line.talkers.isEmpty ? "nobody" : line.talkers.joined(separator: ", ")
      return "Line \(line.name): on it are \(members.isEmpty ? "nobody" : members). "
        + "Talking: \(talkers)."
    }
    let peers = status.peers.map { "\($0.name) (\($0.state.rawValue))" }
    return (lines + ["Members: \(peers.isEmpty ? "none" : peers.joined(separator: ", "))."])
      .joined(separator: "\n")
  }
}

/// Carries requests out, as at the control socket.
protocol AssistantHands {
  func handle(_ request: ControlRequest) async -> ControlResponse
}

extension NodeControl: AssistantHands {}

extension AssistantTool {
  /// What somebody must be allowed for it, by any door.
  var neededRights: PageRights {
    switch self {
    case .lines: ControlRequest.status.neededRights
    case .call: ControlRequest.call(.call(peer: "", line: nil, holder: nil)).neededRights
    case .text: ControlRequest.say(to: "", text: "").neededRights
    case .level: ControlRequest.gain(peer: "", decibels: 0).neededRights
    case .mute: ControlRequest.mute(peer: "", isOn: true).neededRights
    case .doctor: .operate
    }
  }
}
