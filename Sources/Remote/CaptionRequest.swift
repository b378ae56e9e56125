/// What a remote can ask about captions; in JSON the word is that of the command, as `captions-on`.
public enum CaptionRequest: Sendable, Hashable {
  /// Asks for chunks; the answer is ``ControlResponse/captions(_:)``.
  case show(CaptionQuery)
  /// Begins to caption: a line, or whatever is heard; all who talk there, or these members only.
  case begin(line: String?, members: [String])
  /// Captions no more.
  case end
  /// This node's user refuses to be captioned, or no more.
  case refuse(isOn: Bool)
  /// Forgets the sessions that are over; the answer is ``ControlResponse/done(note:)``.
  case clear
  /// Keeps what is read here for so many days; 0: not at all; nil: the answer tells how long.
  case keep(days: Int?)

  /// How many days can be asked for.
  public static let daysRange = 0...3650
  /// The most members that can be named.
  public static let mostMembers = 64

  enum Kind: String, CaseIterable {
    case show = "captions"
    case begin = "captions-on"
    case end = "captions-off"
    case refuse = "captions-refuse"
    case clear = "captions-clear"
    case keep = "captions-keep"
  }

  private enum Key: String, CodingKey { case request, captions, line, members, on, days }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    switch kind {
    case .show:
      self = .show(
        try fields.decodeIfPresent(CaptionQuery.self, forKey: .captions) ?? CaptionQuery())
    case .begin:
      let members = try fields.decodeIfPresent([String].self, forKey: .members) ?? []
      guard members.count <= Self.mostMembers else {
        throw DecodingError.dataCorruptedError(
          forKey: .members, in: fields,
          debugDescription: "\(members.count) members are named, at most \(Self.mostMembers)")
      }
      self = .begin(
        line: try fields.decodeIfPresent(String.self, forKey: .line), members: members)
    case .end: self = .end
    case .refuse: self = .refuse(isOn: try fields.decode(Bool.self, forKey: .on))
    case .clear: self = .clear
    case .keep: self = .keep(days: try fields.decodeIfPresent(Int.self, forKey: .days))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(kind.rawValue, forKey: .request)
    switch self {
    case .show(let query): try fields.encode(query, forKey: .captions)
    case .begin(let line, let members):
      try fields.encodeIfPresent(line, forKey: .line)
      if !members.isEmpty { try fields.encode(members, forKey: .members) }
    case .refuse(let isOn): try fields.encode(isOn, forKey: .on)
    case .keep(let days): try fields.encodeIfPresent(days, forKey: .days)
    case .end, .clear: break
    }
  }

  private var kind: Kind {
    switch self {
    case .show: .show
    case .begin: .begin
    case .end: .end
    case .refuse: .refuse
    case .clear: .clear
    case .keep: .keep
    }
  }
}

/// Which chunks of captions a remote asks for: the last ``limit`` of those that all of it holds for.
public struct CaptionQuery: Sendable, Hashable, Codable {
  /// How many can be asked for at once.
  public static let limitRange = 1...500
  /// As many as are answered where nobody says.
  public static let usualLimit = 50
  /// For how long a request can wait, seconds.
  public static let waitRangeSeconds = 0.0...20.0

  /// Of the session of that ID; nil: of all.
  public var session: String?
  /// With all of these words in them, or words that begin so.
  public var search: String?
  /// That changed after this number; then the first of them, in the order of their changes.
  public var after: Int64?
  /// At most so many, within ``limitRange``; nil: 50.
  public var limit: Int?
  /// Where there is none yet, the answer waits for one so long, within ``waitRangeSeconds``.
  public var waitSeconds: Double?
  /// Of what is kept on the disk, of sessions long over too; ``after`` and ``waitSeconds`` mean nothing then.
  public var isKept: Bool?

  /// The last 50 of all.
  public init() {}
}
