internal import FoundationEssentials

/// What of an answer has come.
public enum ChatPiece: Hashable, Sendable {
  /// The next piece of its text.
  case text(String)
  /// All of it: the tools that are to be used before the model goes on; none: it has said what it had to say.
  case end([ToolCall])
}

/// Reads the response to ``ChatRequest``: a stream of events, or one JSON object where a server does not stream.
///
/// Every octet comes from the server and is taken for nothing more than that.
public struct ChatReader {
  private static let done = Array("[DONE]".utf8)

  private enum Form {
    case stream(EventStreamParser)
    case object
    case refusal(status: Int, afterSeconds: Double?)
  }

  private var form: Form
  private var content: [UInt8] = []
  private var byteCount = 0
  private var textBytes = 0
  private var calls: [ToolCall] = []
  private var hasReason = false
  /// All that the answer has came.
  public private(set) var hasEnded = false

  /// Begins with the head of a response.
  ///
  /// - Parameters:
  ///   - type: its Content-Type.
  ///   - retryAfter: its Retry-After (RFC 9110 §10.2.3), of which seconds are understood.
  public init(status: Int, type: String?, retryAfter: String?) {
    let isStream = type?.lowercased().hasPrefix("text/event-stream") == true
    let seconds = retryAfter.flatMap(Double.init).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    form =
      switch status {
      case 200..<300: isStream ? .stream(EventStreamParser()) : .object
      default: .refusal(status: status, afterSeconds: seconds)
      }
  }

  /// Takes a piece of the content.
  public mutating func take(_ bytes: some Collection<UInt8>) throws(ChatFault) -> [ChatPiece] {
    byteCount += bytes.count
    guard byteCount <= ChatLimits.answerBytes else { throw .tooLong("the whole answer") }
    switch form {
    case .refusal:
      content += bytes.prefix(ChatLimits.refusalBytes - content.count)
      return []
    case .object:
      content += bytes
      return []
    case .stream(var parser):
      let events = try parser.take(bytes)
      form = .stream(parser)
      return try pieces(of: events)
    }
  }

  /// The content is over.
  public mutating func finish() throws(ChatFault) -> [ChatPiece] {
    switch form {
    case .refusal(let status, let afterSeconds):
      throw Self.fault(status, afterSeconds, Self.words(of: content))
    case .object: return try pieces(of: [content, Self.done])
    case .stream(var parser):
      var pieces: [ChatPiece] = []
      if let event = try parser.finish() { pieces = try self.pieces(of: [event]) }
      // Some servers give the reason of the end, and no mark of it.
      if !hasEnded, hasReason { pieces += try self.pieces(of: [Self.done]) }
      guard hasEnded else { throw .cut }
      return pieces
    }
  }

  private mutating func pieces(of events: [[UInt8]]) throws(ChatFault) -> [ChatPiece] {
    var pieces: [ChatPiece] = []
    for event in events where !hasEnded {
      if event == Self.done {
        guard calls.allSatisfy({ !$0.name.isEmpty }) else { throw .malformed("a tool has no name") }
        hasEnded = true
        pieces.append(.end(calls))
      } else if let text = try take(event: event) {
        pieces.append(.text(text))
      }
    }
    return pieces
  }

  /// - Returns: the text in it.
  private mutating func take(event: [UInt8]) throws(ChatFault) -> String? {
    guard let chunk = try? JSONDecoder().decode(Chunk.self, from: Data(event)) else {
      throw .malformed("not the JSON of an answer")
    }
    if let error = chunk.error {
      throw .failing(status: error.code ?? 200, Self.shown(error.message))
    }
    guard let choice = chunk.choices?.first(where: { ($0.index ?? 0) == 0 }) else {
      // Figures of use come alone.
      guard chunk.choices != nil || chunk.usage else { throw .malformed("no choices in it") }
      return nil
    }
    if choice.finish_reason != nil { hasReason = true }
    let part = choice.delta ?? choice.message
    for (place, call) in (part?.tool_calls ?? []).enumerated() {
      try take(call, at: call.index ?? place)
    }
    guard let text = part?.content, !text.isEmpty else { return nil }
    textBytes += text.utf8.count
    guard textBytes <= ChatLimits.textBytes else { throw .tooLong("the text of the answer") }
    return text
  }

  /// A piece of what tool is to be used; its parts are put one behind the other.
  private mutating func take(_ piece: Chunk.Call, at index: Int) throws(ChatFault) {
    guard (0..<ChatLimits.calls).contains(index), index <= calls.count else {
      throw .tooLong("tools at once")
    }
    if index == calls.count {
      calls.append(ToolCall(id: "", name: "", arguments: ""))
    }
    if let id = piece.id, !id.isEmpty { calls[index].id = id }
    calls[index].name += piece.function?.name ?? ""
    calls[index].arguments += piece.function?.arguments ?? ""
    guard calls[index].arguments.utf8.count <= ChatLimits.argumentBytes,
      max(calls[index].id.utf8.count, calls[index].name.utf8.count) <= ChatLimits.nameBytes
    else { throw .tooLong("what a tool is to be given") }
  }

  private static func fault(_ status: Int, _ afterSeconds: Double?, _ words: String) -> ChatFault {
    switch status {
    case 429: .busy(afterSeconds: afterSeconds)
    case 408, 425, 500...: .failing(status: status, words)
    default: .refused(status: status, words)
    }
  }

  private static func words(of content: [UInt8]) -> String {
    if let chunk = try? JSONDecoder().decode(Chunk.self, from: Data(content)),
      let error = chunk.error
    {
      return shown(error.message)
    }
    let text = String(decoding: content, as: UTF8.self)
    return text.hasPrefix("<") ? "" : shown(text)
  }

  /// A server's words: short, and on one line.
  private static func shown(_ words: String) -> String {
    let line = words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let clean = line.unicodeScalars.filter { $0.properties.generalCategory != .control }
    return String(String.UnicodeScalarView(clean).prefix(ChatLimits.shownLetters))
  }
}

/// One piece of a stream, or a whole answer; what is not asked for here is ignored.
private struct Chunk: Decodable {
  struct Choice: Decodable {
    var index: Int?
    var delta: Part?
    var message: Part?
    var finish_reason: String?
  }

  struct Part: Decodable {
    var content: String?
    var tool_calls: [Call]?
  }

  struct Call: Decodable {
    struct Function: Decodable { var name, arguments: String? }
    var index: Int?
    var id: String?
    var function: Function?
  }

  /// A text, or an object with a message.
  struct Trouble: Decodable {
    private enum Key: String, CodingKey { case message, code }
    var message: String
    var code: Int?

    init(from decoder: any Decoder) throws {
      if let text = try? decoder.singleValueContainer().decode(String.self) {
        message = text
        return
      }
      let fields = try decoder.container(keyedBy: Key.self)
      message = (try? fields.decode(String.self, forKey: .message)) ?? ""
      code = try? fields.decode(Int.self, forKey: .code)
    }
  }

  private enum Key: String, CodingKey { case choices, error, usage }
  var choices: [Choice]?
  var error: Trouble?
  var usage: Bool

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    choices = try fields.decodeIfPresent([Choice].self, forKey: .choices)
    error = try fields.decodeIfPresent(Trouble.self, forKey: .error)
    usage = fields.contains(.usage)
  }
}
