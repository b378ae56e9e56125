internal import Assistant
internal import Remote
internal import StatusSchema

/// What the assistant may do at this node, each only where the user allows it.
enum AssistantTool: String, CaseIterable, Sendable {
  /// Tells who is on which line, and who talks.
  case lines
  /// Calls a member: their reply key flashes.
  case call
  /// Sends a text to a member or a group.
  case text
  /// Sets how loud a member is heard.
  case level
  /// Mutes a member in the own mix, or unmutes.
  case mute
  /// Tells what the doctor finds.
  case doctor

  static let words = Self.allCases.map(\.rawValue).joined(separator: "|")

  /// As a model is offered it.
  var offer: ToolOffer {
    switch self {
    case .lines:
      ToolOffer(
        name: "who_is_on_which_line",
        purpose: "Tells the intercom's party lines, who is on each, who talks, and who is heard.")
    case .call:
      ToolOffer(
        name: "call_member",
        purpose: "Calls a member of the intercom, who sees it and can answer by voice.",
        parameters: [.init("member", "string", "the member's name")])
    case .text:
      ToolOffer(
        name: "send_text", purpose: "Sends a text message to a member of the intercom.",
        parameters: [
          .init("to", "string", "the member's name, or \"group\" for all"),
          .init("text", "string", "what to send"),
        ])
    case .level:
      ToolOffer(
        name: "set_level", purpose: "Sets how loud a member is heard here.",
        parameters: [
          .init("member", "string", "the member's name"),
          .init("decibels", "number", "0 is normal, -60 all but silent, 18 the loudest"),
        ])
    case .mute:
      ToolOffer(
        name: "set_mute", purpose: "Mutes a member here, or unmutes.",
        parameters: [
          .init("member", "string", "the member's name"),
          .init("muted", "boolean", "true: mute, false: unmute"),
        ])
    case .doctor:
      ToolOffer(
        name: "doctor",
        purpose: "Tells what keeps this station from carrying voice well: network, sound, disk.")
    }
  }

  /// What it is to the node, from what the model gives; nil: it gives something else.
  func request(_ arguments: String) -> ControlRequest? {
    // Some models give nothing at all for nothing.
    let text = arguments.isEmpty ? "{}" : arguments
    guard let given = try? JSONLine.decode(Arguments.self, from: Array(text.utf8)) else {
      return nil
    }
    switch self {
    case .lines, .doctor: return .status
    case .call:
      guard let member = given.member else { return nil }
      return .call(.call(peer: member, line: nil, holder: nil))
    case .text:
      guard let to = given.to, let text = given.text else { return nil }
      return .say(to: to, text: text)
    case .level:
      guard let member = given.member, let decibels = given.decibels,
        PeerStatus.gainRangeDecibels.contains(decibels)
      else { return nil }
      return .gain(peer: member, decibels: decibels)
    case .mute:
      guard let member = given.member, let muted = given.muted else { return nil }
      return .mute(peer: member, isOn: muted)
    }
  }

  private struct Arguments: Decodable {
    var to, text, member: String?
    var decibels: Double?
    var muted: Bool?
  }
}
