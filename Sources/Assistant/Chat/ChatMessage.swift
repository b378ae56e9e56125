/// One message of a conversation with a language model.
public struct ChatMessage: Hashable, Sendable {
  /// Who says it.
  public enum Role: String, Hashable, Sendable {
    /// What the model is told before all else.
    case system
    /// A person.
    case user
    /// The model.
    case assistant
    /// What a tool found, for the model.
    case tool
  }

  /// Who says it.
  public var role: Role
  /// What is said.
  public var text: String
  /// Of the model: the tools that it wants used.
  public var calls: [ToolCall] = []
  /// Of a tool: which ``ToolCall`` it answers.
  public var callID: String?

  /// A message that is only text.
  public init(_ role: Role, _ text: String) { (self.role, self.text) = (role, text) }

  /// What a tool found.
  public init(answering call: ToolCall, _ text: String) {
    self.init(.tool, text)
    callID = call.id
  }
}

/// A tool that the model wants used; all of it is as the model wrote it.
public struct ToolCall: Hashable, Sendable {
  /// By which the answer is told from others.
  public var id: String
  /// The tool's name.
  public var name: String
  /// JSON, as a rule.
  public var arguments: String

  /// A call.
  public init(id: String, name: String, arguments: String) {
    (self.id, self.name, self.arguments) = (id, name, arguments)
  }
}

/// A tool as it is offered to a model.
public struct ToolOffer: Hashable, Sendable {
  /// One argument; all are needed.
  public struct Parameter: Hashable, Sendable {
    /// Its name in JSON.
    public var name: String
    /// JSON Schema's word: `string`, `number` or `boolean`.
    public var type: String
    /// What it means.
    public var meaning: String

    /// One argument.
    public init(_ name: String, _ type: String, _ meaning: String) {
      (self.name, self.type, self.meaning) = (name, type, meaning)
    }
  }

  /// What it is called.
  public var name: String
  /// What it does, for the model.
  public var purpose: String
  /// What it takes.
  public var parameters: [Parameter]

  /// A tool.
  public init(name: String, purpose: String, parameters: [Parameter] = []) {
    (self.name, self.purpose, self.parameters) = (name, purpose, parameters)
  }
}

/// A question to a language model: the conversation so far, and what it may use.
public struct ChatQuery: Hashable, Sendable {
  /// The conversation, the oldest first.
  public var messages: [ChatMessage]
  /// What the model may ask for; none: nothing is offered.
  public var tools: [ToolOffer]
  /// The most that the answer may have, in the model's tokens.
  public var mostTokens: Int

  /// A question.
  public init(_ messages: [ChatMessage], tools: [ToolOffer] = [], mostTokens: Int = 400) {
    (self.messages, self.tools, self.mostTokens) = (messages, tools, mostTokens)
  }
}
