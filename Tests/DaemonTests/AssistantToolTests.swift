import Assistant
import Remote
import StatusSchema
import Synchronization
import Testing

@testable import NodeDaemon

/// What the assistant may do at its node: each tool only where it is allowed, and for who could do the same.
@Suite struct AssistantToolTests {
  /// A node that writes down what is wanted of it.
  private final class Hands: AssistantHands, Sendable {
    let wanted = Mutex<[ControlRequest]>([])

    func handle(_ request: ControlRequest) async -> ControlResponse {
      wanted.withLock { $0.append(request) }
      if case .say("nobody", _, _) = request {
        return .error(message: "there is no nobody")
      }
      return .ok
    }
  }

  private let hands = Hands()
  private let lines = LogLines()

  private func use(
    _ tool: AssistantTool, _ arguments: String, allowed: [AssistantTool] = AssistantTool.allCases,
    _ rights: PageRights = .admin
  ) async -> String {
    let tools = AssistantTools(allowed, log: lines.logger("assistant"))
    tools.attach(hands)
    let call = ToolCall(id: "1", name: tool.offer.name, arguments: arguments)
    return await tools.use(call, with: rights, caller: "page 7").words
  }

  static let uses: [(AssistantTool, String, ControlRequest)] = [
    (.lines, "", .status), (.doctor, "{}", .status),
    (.call, #"{"member":"foh"}"#, .call(.call(peer: "foh", line: nil, holder: nil))),
    (.text, #"{"to":"group","text":"Break"}"#, .say(to: "group", text: "Break")),
    (.level, #"{"member":"foh","decibels":-6}"#, .gain(peer: "foh", decibels: -6)),
    (.mute, #"{"member":"foh","muted":true}"#, .mute(peer: "foh", isOn: true)),
  ]

  @Test(arguments: uses)
  func `a tool asks the node for what its caller would, and is in the log`(
    tool: AssistantTool, arguments: String, request: ControlRequest
  ) async {
    _ = await use(tool, arguments)
    #expect(hands.wanted.withLock { $0 } == [request])
    #expect(lines.all.contains { $0.contains("tool=\(tool.rawValue)") && $0.contains("page 7") })
  }

  @Test(arguments: AssistantTool.allCases)
  func `nothing is allowed until it is set, or for who may not do it`(tool: AssistantTool) async {
    #expect(AssistantTools([], log: lines.logger("x")).offers(to: .admin).isEmpty)
    #expect(await use(tool, "{}", allowed: []).contains("there is no such tool"))
    let lower = PageRights.allCases.filter { $0 < tool.neededRights }
    for rights in lower {
      #expect(await use(tool, "{}", rights).contains("there is no such tool"))
      let offers = AssistantTools([tool], log: lines.logger("x")).offers(to: rights)
      #expect(offers.isEmpty)
    }
    #expect(hands.wanted.withLock { $0.isEmpty })
    #expect([.level, .mute, .doctor].contains(tool) == (tool.neededRights == .operate))
  }

  @Test(arguments: [
    (AssistantTool.call, "{}"), (.call, "member"), (.text, #"{"to":"foh"}"#),
    (.level, #"{"member":"foh","decibels":900}"#), (.level, #"{"member":"foh"}"#),
    (.mute, #"{"member":["foh"],"muted":true}"#),
  ])
  func `what no tool takes is told to the model, and not done`(
    tool: AssistantTool, arguments: String
  ) async {
    #expect(await use(tool, arguments).contains("the arguments are not what the tool takes"))
    #expect(hands.wanted.withLock { $0.isEmpty })
  }

  @Test func `what the node refuses is told to the model in its words`() async {
    #expect(await use(.text, #"{"to":"nobody","text":"x"}"#) == "there is no nobody")
  }
}
