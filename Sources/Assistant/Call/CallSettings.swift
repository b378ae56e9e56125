/// How a call to the assistant goes.
public struct CallSettings: Hashable, Sendable {
  /// What the model is told before all else.
  public var prompt: String
  /// What it may use.
  public var tools: [ToolOffer] = []
  /// The most that an answer may have, in the model's tokens.
  public var mostTokens = 400
  /// How often in a turn tools are used, before the model has to answer.
  public var toolRounds = 4
  /// Turns in a row that fail before the call does.
  public var mostFailures = 3
  /// A call in which nobody says anything for so long ends.
  public var silenceNanoseconds: Int64 = 30_000_000_000
  /// A call ends after so long.
  public var lengthNanoseconds: Int64 = 600_000_000_000
  /// A voice takes the floor from the assistant after so long; a cough does not.
  public var bargeInNanoseconds: Int64 = 80_000_000

  /// The usual, with this prompt.
  public init(prompt: String) { self.prompt = prompt }
}

/// Why a call is over.
public enum CallEnd: Hashable, Sendable {
  /// Somebody ended it.
  case hungUp
  /// Nobody said anything.
  case silence
  /// It went on for as long as calls may.
  case length
  /// It cannot go on, why in words.
  case failed(String)

  /// For the log and for people.
  public var words: String {
    switch self {
    case .hungUp: "hung up"
    case .silence: "nobody said anything"
    case .length: "as long as a call may be"
    case .failed(let words): words
    }
  }
}
