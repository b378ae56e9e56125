/// What a remote can do about messages that there are; in JSON the word is that of the command, as `messages-keep`.
public enum MessageActRequest: Sendable, Hashable {
  /// Says how long messages of a line are kept once they are read; the answer is ``ControlResponse/done(note:)``.
  ///
  /// - Parameter days: `none`, `default` or a number of ``daysRange``; nil: only tells.
  case keep(line: String, days: String?)

  /// Days that a line's messages can be kept.
  public static let daysRange = 1...3650

  enum Kind: String, CaseIterable {
    case keep = "messages-keep"
  }

  private enum Key: String, CodingKey { case request, line, keep }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    switch kind {
    case .keep:
      self = .keep(
        line: try fields.decode(String.self, forKey: .line),
        days: try fields.decodeIfPresent(String.self, forKey: .keep))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    switch self {
    case .keep(let line, let days):
      try fields.encode(Kind.keep.rawValue, forKey: .request)
      try fields.encode(line, forKey: .line)
      try fields.encodeIfPresent(days, forKey: .keep)
    }
  }
}
