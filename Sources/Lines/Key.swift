/// What a key does to its lines: the seven states of commercial party lines.
public enum KeyActivation: String, Sendable, Hashable, CaseIterable {
  /// Pressed, it talks.
  case talk
  /// Pressed, it listens; a tap turns listening on or off.
  case listen
  /// Pressed, it talks and listens.
  case talkAndListen = "talk-listen"
  /// Held, it talks; a tap turns listening on or off.
  case dual
  /// It listens, always.
  case forceListen = "force-listen"
  /// It listens always, and talks while pressed.
  case talkForceListen = "talk-force-listen"
  /// It talks and listens, always.
  case forceTalkForceListen = "force-talk-force-listen"

  /// Whether it talks while it is pressed.
  var talks: Bool {
    switch self {
    case .talk, .talkAndListen, .dual, .talkForceListen: true
    case .listen, .forceListen, .forceTalkForceListen: false
    }
  }

  /// Whether it listens while it is pressed.
  var listens: Bool { self == .listen || self == .talkAndListen }

  /// Whether a tap turns listening on or off.
  var tapsListen: Bool { self == .listen || self == .dual }

  /// Whether it talks, pressed or not.
  var forcesTalk: Bool { self == .forceTalkForceListen }

  /// Whether it listens, pressed or not.
  var forcesListen: Bool {
    switch self {
    case .forceListen, .talkForceListen, .forceTalkForceListen: true
    case .talk, .listen, .talkAndListen, .dual: false
    }
  }
}

/// A key as it is set.
public struct Key: Sendable, Hashable {
  /// Under so many milliseconds a press is a tap, unless told otherwise.
  public static let usualLatchMilliseconds = 200

  /// What it is called.
  public var name: KeyName
  /// What it is for; those that the node is not on do nothing.
  public var lines: [LineName]
  /// What it does.
  public var activation: KeyActivation
  /// A press that is shorter latches, milliseconds; 0: none does.
  public var latchMilliseconds: Int
  /// Of the keys of a group one talks at a time, 1 to 9; nil: in none.
  public var interlock: Int?
  /// Whether talking listens to its lines, too.
  public var listensWhileTalking = false
  /// Whether talking does not listen to its lines.
  public var mutesWhileTalking = false
  /// Whether talking listens to no other lines.
  public var isolates = false

  /// A key.
  ///
  /// - Throws: what is out of range.
  public init(
    _ name: KeyName, lines: [LineName], activation: KeyActivation = .talkForceListen,
    latchMilliseconds: Int = usualLatchMilliseconds, interlock: Int? = nil
  ) throws(LineError) {
    guard (1...LineLimits.linesOfKey).contains(lines.count) else { throw .noTarget(name) }
    guard (0...LineLimits.latchMilliseconds).contains(latchMilliseconds) else {
      throw .badLatch(latchMilliseconds)
    }
    if let interlock, !(1...LineLimits.interlockGroups).contains(interlock) {
      throw .badInterlock(interlock)
    }
    self.init(usual: name, lines: lines, activation: activation)
    self.latchMilliseconds = latchMilliseconds
    self.interlock = interlock
  }

  /// The key that comes with a line: it talks, and what is heard is up to the line.
  init(of line: LineName) { self.init(usual: line, lines: [line], activation: .talk) }

  private init(usual name: KeyName, lines: [LineName], activation: KeyActivation) {
    var seen: Set<LineName> = []
    (self.name, self.activation) = (name, activation)
    self.lines = lines.filter { seen.insert($0).inserted }
    latchMilliseconds = Self.usualLatchMilliseconds
  }
}
