/// The part of a conversation that a model is shown.
///
/// As many turns as there is room for, the newest; the turn under way always, with what its tools found.
struct CallHistory {
  /// Octets of the turns that are over.
  private static let mostBytes = 12 << 10
  /// Octets of one thing that somebody said, or a tool found.
  static let mostMessageBytes = 4 << 10

  private let prompt: ChatMessage
  private var past: [ChatMessage] = []
  /// The turn under way.
  private var current: [ChatMessage] = []

  init(prompt: String) { self.prompt = ChatMessage(.system, prompt) }

  /// What is asked next.
  var messages: [ChatMessage] { [prompt] + past + current }

  /// Somebody says something.
  mutating func begin(_ text: String) {
    current = [ChatMessage(.user, Self.bounded(text))]
  }

  /// The model wants tools used, and they found this.
  mutating func use(_ calls: [ToolCall], saying text: String, _ results: [ToolResult]) {
    var wish = ChatMessage(.assistant, text)
    wish.calls = calls
    current.append(wish)
    for result in results {
      current.append(ChatMessage(answering: result.call, Self.bounded(result.words)))
    }
  }

  /// The turn is over with this answer; none: it never was, for the model.
  mutating func end(_ answer: String) {
    if let question = current.first, !answer.isEmpty {
      // What tools found is old news in the next turn.
      past += [question, ChatMessage(.assistant, Self.bounded(answer))]
    }
    current = []
    while past.count > 2, past.reduce(0, { $0 + $1.text.utf8.count }) > Self.mostBytes {
      past.removeFirst(2)
    }
  }

  private static func bounded(_ text: String) -> String {
    guard text.utf8.count > mostMessageBytes else { return text }
    var text = String(decoding: text.utf8.prefix(mostMessageBytes), as: UTF8.self)
    while text.last == "\u{FFFD}" { text.removeLast() }
    return text
  }
}

/// What came of a tool's use.
public struct ToolResult: Hashable, Sendable {
  /// What was wanted.
  public var call: ToolCall
  /// What the model is told of it.
  public var words: String

  /// A result.
  public init(_ call: ToolCall, _ words: String) { (self.call, self.words) = (call, words) }
}
