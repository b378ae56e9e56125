internal import StatusSchema

/// What a remote can ask about party lines; in JSON the word is that of the command, as `line-join`.
public enum LineRequest: Sendable, Hashable {
  /// Makes a line and is on it; a private one is known to those only who are added.
  case new(line: String, isPrivate: Bool = false)
  /// Is on a line of the group, or a private one that somebody invites to.
  ///
  /// - Parameter isPrivate: the invitation is meant, though there is a line of that name.
  case join(line: String, isPrivate: Bool = false)
  /// Plays the last that was said on a line at the node's ear; the answer is ``ControlResponse/done(note:)``.
  ///
  /// - Parameters:
  ///   - line: nil: the one where somebody was heard last.
  ///   - seconds: the last so many, 1 to 15; nil: all that is kept.
  case again(line: String?, seconds: Double?)
  /// Adds a member to a private line: it may join.
  case add(line: String, peer: String)
  /// Removes a member from a private line.
  case remove(line: String, peer: String)
  /// Is on it no more.
  case leave(line: String)
  /// Asks for all lines; the answer is ``ControlResponse/lines(_:)``.
  case list
  /// Hears a line, or not.
  case listen(line: String, isOn: Bool)
  /// Sets how loud a line is heard, within `LineStatus.levelRangeDecibels`.
  case level(line: String, decibels: Double)
  /// Sets where a line is heard, within `PeerStatus.panRange`.
  case pan(line: String, position: Double)
  /// Gives a line a JACK output of its own, or none.
  case port(line: String, isOn: Bool)
  /// Sets what gives way to a line, and what it gives way to, within `LineStatus.priorityRange`.
  case priority(line: String, priority: Int)
  /// Sets what small displays show for a line; empty: the first characters of its name.
  case display(line: String, text: String)

  enum Kind: String, CaseIterable {
    case new = "line-new"
    case join = "line-join"
    case again
    case add = "line-add"
    case remove = "line-remove"
    case leave = "line-leave"
    case list = "line-list"
    case listen = "line-listen"
    case level = "line-level"
    case pan = "line-pan"
    case port = "line-port"
    case priority = "line-priority"
    case display = "line-display"
  }

  private enum Key: String, CodingKey {
    case request, line, on, decibels, priority, peer, seconds, position, text
    case isPrivate = "private"
  }

  /// The line that it names; nil: none.
  public var line: String? {
    switch self {
    case .new(let line, _), .join(let line, _), .add(let line, _), .remove(let line, _),
      .leave(let line), .listen(let line, _), .level(let line, _), .pan(let line, _),
      .port(let line, _), .priority(let line, _), .display(let line, _):
      line
    case .again(let line, _): line
    case .list: nil
    }
  }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    func line() throws -> String { try fields.decode(String.self, forKey: .line) }
    func isPrivate() throws -> Bool {
      try fields.decodeIfPresent(Bool.self, forKey: .isPrivate) ?? false
    }
    func peer() throws -> String { try fields.decode(String.self, forKey: .peer) }
    switch kind {
    case .new: self = .new(line: try line(), isPrivate: try isPrivate())
    case .join: self = .join(line: try line(), isPrivate: try isPrivate())
    case .again:
      let seconds = try fields.decodeIfPresent(Double.self, forKey: .seconds)
      guard seconds.map((1...15).contains) ?? true else {
        throw DecodingError.dataCorruptedError(
          forKey: .seconds, in: fields, debugDescription: "seconds must be from 1 to 15")
      }
      self = .again(
        line: try fields.decodeIfPresent(String.self, forKey: .line), seconds: seconds)
    case .add: self = .add(line: try line(), peer: try peer())
    case .remove: self = .remove(line: try line(), peer: try peer())
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
    case .pan:
      let position = try fields.decode(Double.self, forKey: .position)
      guard PeerStatus.panRange.contains(position) else {
        throw DecodingError.dataCorruptedError(
          forKey: .position, in: fields,
          debugDescription: "position must be from -1.0 to 1.0, not \(position)")
      }
      self = .pan(line: try line(), position: position)
    case .port: self = .port(line: try line(), isOn: try fields.decode(Bool.self, forKey: .on))
    case .priority:
      self = .priority(line: try line(), priority: try fields.decode(Int.self, forKey: .priority))
    case .display:
      self = .display(line: try line(), text: try fields.decode(String.self, forKey: .text))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var fields = encoder.container(keyedBy: Key.self)
    try fields.encode(kind.rawValue, forKey: .request)
    switch self {
    case .list: break
    case .new(let line, let isPrivate), .join(let line, let isPrivate):
      try fields.encode(line, forKey: .line)
      if isPrivate { try fields.encode(true, forKey: .isPrivate) }
    case .again(let line, let seconds):
      try fields.encodeIfPresent(line, forKey: .line)
      try fields.encodeIfPresent(seconds, forKey: .seconds)
    case .add(let line, let peer), .remove(let line, let peer):
      try fields.encode(line, forKey: .line)
      try fields.encode(peer, forKey: .peer)
    case .leave(let line):
      try fields.encode(line, forKey: .line)
    case .listen(let line, let isOn), .port(let line, let isOn):
      try fields.encode(line, forKey: .line)
      try fields.encode(isOn, forKey: .on)
    case .level(let line, let decibels):
      try fields.encode(line, forKey: .line)
      try fields.encode(decibels, forKey: .decibels)
    case .pan(let line, let position):
      try fields.encode(line, forKey: .line)
      try fields.encode(position, forKey: .position)
    case .priority(let line, let priority):
      try fields.encode(line, forKey: .line)
      try fields.encode(priority, forKey: .priority)
    case .display(let line, let text):
      try fields.encode(line, forKey: .line)
      try fields.encode(text, forKey: .text)
    }
  }

  private var kind: Kind {
    switch self {
    case .new: .new
    case .join: .join
    case .leave: .leave
    case .again: .again
    case .add: .add
    case .remove: .remove
    case .list: .list
    case .listen: .listen
    case .level: .level
    case .pan: .pan
    case .port: .port
    case .priority: .priority
    case .display: .display
    }
  }
}

/// What a remote can ask about keys; in JSON the word is that of the command, as `key-press`.
public enum KeyRequest: Sendable, Hashable {
  /// Sets a key, in the place of one of that name.
  case set(KeySetting)
  /// Sets the keys of a device: `button`, `beltpack` or `panel`; the answer is ``ControlResponse/done(note:)``.
  ///
  /// - Parameter lines: which they are for, in their order; none: those that the node is on.
  case preset(String, lines: [String])
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
  ///
  /// - Parameter isTap: whether it was on for less than the latch time, where the holder knows better than the node,
  ///   to which messages come late; nil: by the times.
  case release(key: String, holder: String?, isTap: Bool? = nil)
  /// Presses and releases at once.
  case tap(key: String)
  /// Says that a holder is there still.
  case hold(holder: String)

  enum Kind: String, CaseIterable {
    case set = "key-set"
    case preset = "key-preset"
    case remove = "key-remove"
    case list = "key-list"
    case press = "key-press"
    case release = "key-release"
    case tap = "key-tap"
    case hold = "key-hold"
  }

  private enum Key: String, CodingKey { case request, key, holder, setting, preset, lines, tap }

  init(_ kind: Kind, from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: Key.self)
    func key() throws -> String { try fields.decode(String.self, forKey: .key) }
    func holder() throws -> String? { try fields.decodeIfPresent(String.self, forKey: .holder) }
    switch kind {
    case .set: self = .set(try fields.decode(KeySetting.self, forKey: .setting))
    case .preset:
      self = .preset(
        try fields.decode(String.self, forKey: .preset),
        lines: try fields.decodeIfPresent([String].self, forKey: .lines) ?? [])
    case .remove: self = .remove(key: try key())
    case .list: self = .list
    case .press: self = .press(key: try key(), holder: try holder())
    case .release:
      self = .release(
        key: try key(), holder: try holder(),
        isTap: try fields.decodeIfPresent(Bool.self, forKey: .tap))
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
    case .preset(let preset, let lines):
      try fields.encode(preset, forKey: .preset)
      if !lines.isEmpty { try fields.encode(lines, forKey: .lines) }
    case .remove(let key), .tap(let key): try fields.encode(key, forKey: .key)
    case .press(let key, let holder):
      try fields.encode(key, forKey: .key)
      try fields.encodeIfPresent(holder, forKey: .holder)
    case .release(let key, let holder, let isTap):
      try fields.encode(key, forKey: .key)
      try fields.encodeIfPresent(holder, forKey: .holder)
      try fields.encodeIfPresent(isTap, forKey: .tap)
    case .hold(let holder): try fields.encode(holder, forKey: .holder)
    }
  }

  private var kind: Kind {
    switch self {
    case .set: .set
    case .preset: .preset
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
  /// What else it is for: `member:NAME`, `group:NAME`, `reply`, `announcement` or `all`; nil: nothing.
  public var targets: [String]?
  /// One of the words of `KeyStatus.activation`; nil: `talk-force-listen` where it is for lines, else `talk`.
  public var activation: String?
  /// A press that is shorter latches, milliseconds, 0 (never) to 1000; nil: 200, and 0 for an announcement.
  public var latchMilliseconds: Int?
  /// Of the keys of a group, 1 to 9, one talks at a time; nil: it is in none.
  public var interlock: Int?
  /// Whether talking listens to its lines, too; nil: no, as in what follows.
  public var autoListen: Bool?
  /// Whether talking does not listen to its lines.
  public var autoMute: Bool?
  /// Whether talking listens to no other lines.
  public var isolate: Bool?
  /// `off`: the microphone is sent untreated while no other key talks; nil: `on`.
  public var voice: String?
  /// The note or controller that works it, as `note 60`, `cc 64` or `note 60 channel 1`; nil: none.
  public var midi: String?

  /// A key with the usual settings.
  public init(name: String, lines: [String]) { (self.name, self.lines) = (name, lines) }
}
