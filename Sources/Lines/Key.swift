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
  /// Whom it is for; lines that the node is not on, and members that are away, do nothing.
  public var targets: [KeyTarget]
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
  /// The note or controller of a MIDI device that works it; nil: none.
  public var midi: MIDIControl?
  /// Whether the microphone is sent as it is, untreated, while no other key talks: for announcements and music.
  public var sendsUntreated = false

  /// A key for lines.
  ///
  /// - Throws: what is out of range.
  public init(
    _ name: KeyName, lines: [LineName], activation: KeyActivation = .talkForceListen,
    latchMilliseconds: Int = usualLatchMilliseconds, interlock: Int? = nil
  ) throws(LineError) {
    try self.init(
      name, targets: lines.map(KeyTarget.line), activation: activation,
      latchMilliseconds: latchMilliseconds, interlock: interlock)
  }

  /// A key.
  ///
  /// - Parameters:
  ///   - activation: nil: as usual for its targets (``usualActivation(of:)``).
  ///   - latchMilliseconds: nil: as usual, which for an announcement and the assistant is never.
  /// - Throws: what is out of range.
  public init(
    _ name: KeyName, targets: [KeyTarget], activation: KeyActivation? = nil,
    latchMilliseconds: Int? = nil, interlock: Int? = nil
  ) throws(LineError) {
    guard (1...LineLimits.targetsOfKey).contains(targets.count) else { throw .noTarget(name) }
    let isBrief = targets.contains(.announcement) || targets.contains(.assistant)
    let usualLatch = isBrief ? 0 : Self.usualLatchMilliseconds
    let latchMilliseconds = latchMilliseconds ?? usualLatch
    guard (0...LineLimits.latchMilliseconds).contains(latchMilliseconds) else {
      throw .badLatch(latchMilliseconds)
    }
    if let interlock, !(1...LineLimits.interlockGroups).contains(interlock) {
      throw .badInterlock(interlock)
    }
    self.init(
      usual: name, targets: targets, activation: activation ?? Self.usualActivation(of: targets))
    self.latchMilliseconds = latchMilliseconds
    self.interlock = interlock
  }

  /// The key that comes with a line: it talks, and what is heard is up to the line.
  init(of line: LineName) { self.init(usual: line, targets: [.line(line)], activation: .talk) }

  /// The key that is there while somebody has called and none is set for that.
  static let reply = Key(usual: .reply, targets: [.reply], activation: .talk)

  private init(usual name: KeyName, targets: [KeyTarget], activation: KeyActivation) {
    var seen: Set<KeyTarget> = []
    (self.name, self.activation) = (name, activation)
    self.targets = targets.filter { seen.insert($0).inserted }
    latchMilliseconds = Self.usualLatchMilliseconds
  }

  /// What a key does unless told otherwise: party lines are heard all the time, and whoever is talked to else by what
  /// they do.
  public static func usualActivation(of targets: [KeyTarget]) -> KeyActivation {
    targets.allSatisfy { $0.line != nil } ? .talkForceListen : .talk
  }

  /// The lines that it is for, of those that the node is on.
  func lines(among own: [LineName]) -> [LineName] {
    targets.contains(.allLines) ? own : targets.compactMap(\.line).filter(own.contains)
  }
}
