/// Why a language model gave no answer, or not all of one.
public enum ChatFault: Error, Hashable, Sendable {
  /// What was waited for in vain.
  public enum Wait: String, Hashable, Sendable {
    /// A connection.
    case connection
    /// The first piece of an answer.
    case answer
    /// The next piece of an answer.
    case rest
  }

  /// There is no connection, and why, in words.
  case unreachable(String)
  /// Nothing came in time.
  case late(Wait)
  /// The server refuses: its HTTP status, and its words.
  case refused(status: Int, String)
  /// Too many questions; when to come again, if the server says so.
  case busy(afterSeconds: Double?)
  /// The server is broken or overloaded: its HTTP status, and its words.
  case failing(status: Int, String)
  /// The connection ended before the answer did.
  case cut
  /// What came is no answer: what was looked at.
  case malformed(String)
  /// More came than an answer may have.
  case tooLong(String)

  /// Whether it may be better the next time.
  public var isPassing: Bool {
    switch self {
    case .unreachable, .late, .busy, .failing, .cut: true
    case .refused, .malformed, .tooLong: false
    }
  }
}

extension ChatFault: CustomStringConvertible {
  /// One sentence for people: what is wrong, then what to do.
  public var description: String {
    switch self {
    case .unreachable(let words): "the language model cannot be reached: \(words)"
    case .late(.connection): "the language model's server does not answer; is it running?"
    case .late(.answer):
      "the language model took too long to begin; try a smaller model, or a faster machine"
    case .late(.rest): "the language model stopped in the middle of its answer; ask again"
    case .refused(401, _), .refused(403, _):
      "the language model's server does not accept the key; check assistant-key-file"
    case .refused(404, let words):
      "the language model's server has no such place or model; check assistant-url and "
        + "assistant-model\(Self.quoted(words))"
    case .refused(let status, let words):
      "the language model's server refuses the question (HTTP \(status))\(Self.quoted(words))"
    case .busy: "the language model's server takes no more questions for now; wait a little"
    case .failing(let status, let words):
      "the language model's server fails (HTTP \(status))\(Self.quoted(words)); look at its log"
    case .cut: "the language model's server broke off; look at its log"
    case .malformed(let what):
      "the language model's server sends something else than an answer (\(what)); "
        + "check assistant-url"
    case .tooLong(let what): "the language model's server sends too much (\(what)); check it"
    }
  }

  private static func quoted(_ words: String) -> String { words.isEmpty ? "" : ": \(words)" }
}

/// The most that a server may make this node hold.
public enum ChatLimits {
  /// Octets of an answer with all that is around it.
  public static let answerBytes = 1 << 20
  /// Octets of one line of a stream.
  public static let lineBytes = 64 << 10
  /// Octets of the answer's text.
  public static let textBytes = 32 << 10
  /// Tools that one answer may ask for.
  public static let calls = 8
  /// Octets of what one of them is to be given.
  public static let argumentBytes = 16 << 10
  /// Octets of a tool's name or number.
  public static let nameBytes = 128
  /// Octets that are read of a refusal.
  public static let refusalBytes = 4 << 10
  /// Letters of a server's words that people are shown.
  public static let shownLetters = 200
}
