internal import StatusSchema

/// What a remote can ask about party lines; in JSON the word is that of the command, as `line-join`.
public enum LineRequest: Sendable, Hashable {
  /// Makes a line and is on it.
  case new(line: String)
  /// Is on a line of the group.
  case join(line: String)
  /// Is on it no more.
  case leave(line: String)
  /// Asks for all lines; the answer is ``ControlResponse/lines(_:)``.
  case list
  /// Hears a line, or not.
  case listen(line: String, isOn: Bool)
  /// Sets how loud a line is heard, within `LineStatus.levelRangeDecibels`.
  case level(line: String, decibels: Double)

  enum Kind: String, CaseIterable {
    case new = "line-new"
    case join = "line-join"
    case leave = "line-leave"
    case list = "line-list"
    case listen = "line-listen"
    case level = "line-level"
  }

  private enum Key: String, CodingKey { case request, line, on, decibels }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    func line() throws -> String { try fields.decode(String.self, forKey: .line) }
    switch kind {
    case .new: self = .new(line: try line())
    case .join: self = .join(line: try line())
    case .leave: self = .leave(line: try line())
    case .list: self = .list
    case .listen:
      self = .listen(line: try line(), isOn: try fields.decode(Bool.self, forKey: .on))
    case .level:
      let (decibels, range) = (
        try fields.decode(Double.self, forKey: .decibels), LineStatus.levelRangeDecibels
      )
      guard range.contains(decibels) else {
        throw DecodingError.dataCorruptedError(
          forKey: .decibels, in: fields,
          debugDescription:
            "decibels must be from \(range.lowerBound) to \(range.upperBound), not \(decibels)")
      }
      self = .level(line: try line(), decibels: decibels)
    }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(kind.rawValue, forKey: .request)
    switch self {
    case .list: break
    case .new(let line), .join(let line), .leave(let line):
      try fields.encode(line, forKey: .line)
    case .listen(let line, let isOn):
      try fields.encode(line, forKey: .line)
      try fields.encode(isOn, forKey: .on)
    case .level(let line, let decibels):
      try fields.encode(line, forKey: .line)
      try fields.encode(decibels, forKey: .decibels)
    }
  }

  private var kind: Kind {
    switch self {
    case .new: .new
    case .join: .join
    case .leave: .leave
    case .list: .list
    case .listen: .listen
    case .level: .level
    }
  }
}

/// What a remote can ask about keys; in JSON the word is that of the command, as `key-press`.
public enum KeyRequest: Sendable, Hashable {
  /// Sets a key, in the place of one of that name.
  case set(KeySetting)
  /// Removes a key that was set.
  case remove(key: String)
  /// Asks for all keys; the answer is ``ControlResponse/keys(_:)``.
  case list
  /// Puts a finger on a key.
  ///
  /// - Parameter holder: who presses, where that may get lost: unless it presses, releases or holds something each
  ///   second, all that it holds is let go of. Nil: the key stays down until it is released.
  case press(key: String, holder: String?)
  /// Takes the finger off.
  case release(key: String, holder: String?)
  /// Presses and releases at once.
  case tap(key: String)
  /// Says that a holder is there still.
  case hold(holder: String)

  enum Kind: String, CaseIterable {
    case set = "key-set"
    case remove = "key-remove"
    case list = "key-list"
    case press = "key-press"
    case release = "key-release"
    case tap = "key-tap"
    case hold = "key-hold"
  }

  private enum Key: String, CodingKey { case request, key, holder, setting }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    func key() throws -> String { try fields.decode(String.self, forKey: .key) }
    func holder() throws -> String? { try fields.decodeIfPresent(String.self, forKey: .holder) }
    switch kind {
    case .set: self = .set(try fields.decode(KeySetting.self, forKey: .setting))
    case .remove: self = .remove(key: try key())
    case .list: self = .list
    case .press: self = .press(key: try key(), holder: try holder())
    case .release: self = .release(key: try key(), holder: try holder())
    case .tap: self = .tap(key: try key())
    case .hold: self = .hold(holder: try fields.decode(String.self, forKey: .holder))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(kind.rawValue, forKey: .request)
    switch self {
    case .list: break
    case .set(let setting): try fields.encode(setting, forKey: .setting)
    case .remove(let key), .tap(let key): try fields.encode(key, forKey: .key)
    case .press(let key, let holder), .release(let key, let holder):
      try fields.encode(key, forKey: .key)
      try fields.encodeIfPresent(holder, forKey: .holder)
    case .hold(let holder): try fields.encode(holder, forKey: .holder)
    }
  }

  private var kind: Kind {
    switch self {
    case .set: .set
    case .remove: .remove
    case .list: .list
    case .press: .press
    case .release: .release
    case .tap: .tap
    case .hold: .hold
    }
  }
}

/// A key as a remote sets it.
public struct KeySetting: Sendable, Hashable, Codable {
  /// What it is called.
  public var name: String
  /// The lines that it is for.
  public var lines: [String]
  /// One of the words of `KeyStatus.activation`; nil: `talk-force-listen`.
  public var activation: String?
  /// A press that is shorter latches, milliseconds, 0 (never) to 1000; nil: 200.
  public var latchMilliseconds: Int?
  /// Of the keys of a group, 1 to 9, one talks at a time; nil: it is in none.
  public var interlock: Int?
  /// Whether talking listens to its lines, too; nil: no, as in what follows.
  public var autoListen: Bool?
  /// Whether talking does not listen to its lines.
  public var autoMute: Bool?
  /// Whether talking listens to no other lines.
  public var isolate: Bool?

  /// A key with the usual settings.
  public init(name: String, lines: [String]) { (self.name, self.lines) = (name, lines) }
}
