internal import FoundationEssentials

/// A question as the JSON that `POST …/chat/completions` takes (the OpenAI chat-completions interface).
public enum ChatRequest {
  /// The request's content.
  ///
  /// - Parameters:
  ///   - model: the model's name at the server; empty: the server has one only.
  public static func content(_ query: ChatQuery, model: String) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Nothing in it is a number that JSON does not have.
    return (try? encoder.encode(Content(query, model: model))).map(Array.init) ?? []
  }

  private struct Content: Encodable {
    var model: String?
    var messages: [Message]
    var stream = true
    var max_tokens: Int
    var tools: [Tool]?

    init(_ query: ChatQuery, model: String) {
      self.model = model.isEmpty ? nil : model
      messages = query.messages.map(Message.init)
      max_tokens = query.mostTokens
      tools = query.tools.isEmpty ? nil : query.tools.map(Tool.init)
    }
  }

  private struct Message: Encodable {
    var role: String
    var content: String
    var tool_calls: [Call]?
    var tool_call_id: String?

    init(_ message: ChatMessage) {
      (role, content) = (message.role.rawValue, message.text)
      tool_calls = message.calls.isEmpty ? nil : message.calls.map(Call.init)
      tool_call_id = message.callID
    }
  }

  private struct Call: Encodable {
    struct Function: Encodable { var name, arguments: String }
    var id: String
    var type = "function"
    var function: Function

    init(_ call: ToolCall) {
      (id, function) = (call.id, Function(name: call.name, arguments: call.arguments))
    }
  }

  private struct Tool: Encodable {
    struct Property: Encodable { var type, description: String }
    struct Parameters: Encodable {
      var type = "object"
      var properties: [String: Property]
      var required: [String]
    }
    struct Function: Encodable {
      var name, description: String
      var parameters: Parameters
    }
    var type = "function"
    var function: Function

    init(_ offer: ToolOffer) {
      let properties = offer.parameters.map {
        ($0.name, Property(type: $0.type, description: $0.meaning))
      }
      function = Function(
        name: offer.name, description: offer.purpose,
        parameters: Parameters(
          properties: Dictionary(properties) { first, _ in first },
          required: offer.parameters.map(\.name)))
    }
  }
}
