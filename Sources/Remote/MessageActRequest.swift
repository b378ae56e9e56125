/// What a remote can do about messages that there are; in JSON the word is that of the command, as `messages-keep`.
public enum MessageActRequest: Sendable, Hashable {
  /// Says how long messages of a line are kept once they are read; the answer is ``ControlResponse/done(note:)``.
  ///
  /// - Parameter days: `none`, `default` or a number of ``daysRange``; nil: only tells.
  case keep(line: String, days: String?)
  /// Says something else in an own text; the answer is ``ControlResponse/messages(_:)`` with it.
  case edit(number: Int64, text: String)
  /// Sets a sign at a message, such as an emoji, for all of its conversation; nil: takes it back. The answer is
  /// ``ControlResponse/messages(_:)`` with the message.
  case react(number: Int64, sign: String?)

  /// Days that a line's messages can be kept.
  public static let daysRange = 1...3650

  enum Kind: String, CaseIterable {
    case keep = "messages-keep"
    case edit = "messages-edit"
    case react = "messages-react"
  }

  private enum Key: String, CodingKey { case request, line, keep, number, text, sign }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    switch kind {
    case .keep:
      self = .keep(
        line: try fields.decode(String.self, forKey: .line),
        days: try fields.decodeIfPresent(String.self, forKey: .keep))
    case .edit:
      self = .edit(
        number: try fields.decode(Int64.self, forKey: .number),
        text: try fields.decode(String.self, forKey: .text))
    case .react:
      self = .react(
        number: try fields.decode(Int64.self, forKey: .number),
        sign: try fields.decodeIfPresent(String.self, forKey: .sign))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    switch self {
    case .keep(let line, let days):
      try fields.encode(Kind.keep.rawValue, forKey: .request)
      try fields.encode(line, forKey: .line)
      try fields.encodeIfPresent(days, forKey: .keep)
    case .edit(let number, let text):
      try fields.encode(Kind.edit.rawValue, forKey: .request)
      try fields.encode(number, forKey: .number)
      try fields.encode(text, forKey: .text)
    case .react(let number, let sign):
      try fields.encode(Kind.react.rawValue, forKey: .request)
      try fields.encode(number, forKey: .number)
      try fields.encodeIfPresent(sign, forKey: .sign)
    }
  }
}
