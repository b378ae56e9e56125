public import Remote
public import StatusSchema

/// What the page's REST needs of its node; any thread.
public protocol RestNode: Sendable {
  /// The groups that the node is in, the lines that it is on, and the nodes that it can write to.
  func conversations() async throws(RestFault) -> [RestConversation]
  /// Messages, the oldest first; those of ``MessageRequest/with``.
  func messages(_ request: MessageRequest) async throws(RestFault) -> [MessageStatus]
  /// One message; throws where it is of another conversation.
  func message(_ number: Int64, of conversation: String) async throws(RestFault) -> MessageStatus
  /// The file of a voice message, Ogg Opus.
  func audio(of number: Int64, _ conversation: String) async throws(RestFault) -> [UInt8]
  /// Forgets a message here; what is under way to others stays under way.
  func delete(_ number: Int64, of conversation: String) async throws(RestFault)
  /// Sends a text, to be spoken where it arrives if that is wanted.
  func say(
    _ text: String, isAloud: Bool, to conversation: String
  ) async throws(RestFault) -> MessageStatus
  /// Says something else in an own text.
  func edit(
    _ number: Int64, of conversation: String, to text: String
  ) async throws(RestFault) -> MessageStatus
  /// Sets this node's sign at a message; nil: takes it back.
  func react(
    to number: Int64, of conversation: String, _ emoji: String?
  ) async throws(RestFault) -> MessageStatus
  /// Sends a file of any kind that can be decoded as a voice message.
  func send(_ file: [UInt8], to conversation: String) async throws(RestFault) -> MessageStatus
}

/// Where files lie that were uploaded, if not at the node; any thread.
public protocol UploadStore: Sendable {
  /// The file's address, without the right to anything.
  func place(of id: String) -> String
  /// An address that takes this one file by PUT for so long, and the headers that it is to come with.
  func address(
    of id: String, type: String, byteCount: Int, seconds: Int
  ) -> (url: String, headers: [String: String])
  /// The file; refuses one of another length.
  func file(_ id: String, byteCount: Int) async throws(RestFault) -> [UInt8]
  /// Keeps the sound of a message that was uploaded there, Ogg Opus, under its SHA-256.
  ///
  /// - Returns: whether it lies there now.
  @discardableResult
  func keep(_ audio: [UInt8], as hash: String) async -> Bool
  /// An address that gives that sound by GET for so long; nil: it does not lie there, or nobody says so.
  func link(to hash: String, seconds: Int) async -> String?
}

/// A conversation: a group, a line, or a member.
public struct RestConversation: Sendable, Hashable {
  /// Whose.
  public enum Kind: String, Sendable, Hashable {
    case group, line, member
  }

  /// What paths name it by: `group:NAME`, `line:NAME`, or a fingerprint.
  public var id: String
  /// For people.
  public var name: String
  /// Whose.
  public var kind: Kind

  /// The number of its last message; 0: there is none.
  public var last: Int64 = 0
  /// How many of its messages were not read yet.
  public var unread = 0

  /// A conversation as it is listed, without messages.
  public init(id: String, name: String, kind: Kind) {
    (self.id, self.name, self.kind) = (id, name, kind)
  }
}

/// Why a request of REST is refused.
public struct RestFault: Error, Hashable, Sendable {
  /// What is wrong, as programs tell it apart; each has its status.
  public enum Code: String, Sendable, CaseIterable {
    case malformed
    case unauthorized
    case forbidden
    case notFound = "not_found"
    case methodNotAllowed = "method_not_allowed"
    case conflict
    case tooLarge = "too_large"
    case unsupportedMedia = "unsupported_media"
    case rangeNotSatisfiable = "range_not_satisfiable"
    case misdirected
    case unprocessable
    case tooMany = "too_many"
    case failed = "internal"
    case noRoom = "no_room"

    /// RFC 9110 §15, RFC 6585 §4, RFC 4918 §11.5.
    public var status: Int {
      switch self {
      case .malformed: 400
      case .unauthorized: 401
      case .forbidden: 403
      case .notFound: 404
      case .methodNotAllowed: 405
      case .conflict: 409
      case .tooLarge: 413
      case .unsupportedMedia: 415
      case .rangeNotSatisfiable: 416
      case .misdirected: 421
      case .unprocessable: 422
      case .tooMany: 429
      case .failed: 500
      case .noRoom: 507
      }
    }
  }

  /// What.
  public var code: Code
  /// What is wrong and what to do.
  public var words: String

  /// A refusal.
  public init(_ code: Code, _ words: String) { (self.code, self.words) = (code, words) }
}
