/// What the station tells of one of its keys.
public struct KeyTally: Sendable, Hashable {
  /// The microphone goes out to the key's target.
  public var isTalking = false
  /// What comes from the target is heard.
  public var isListening = false
  /// The target calls, and nobody has answered.
  public var isCalled = false
  /// Somebody of the target talks.
  public var isInUse = false
  /// A press that is shorter latches; zero: none does.
  public var latch = Duration.zero

  /// A key that nothing is to be told of.
  public init() {}

  /// A key of which something is to be told.
  public init(isTalking: Bool, isListening: Bool, isCalled: Bool, isInUse: Bool) {
    (self.isTalking, self.isListening) = (isTalking, isListening)
    (self.isCalled, self.isInUse) = (isCalled, isInUse)
  }
}

/// What the station tells of its keys.
public struct Tally: Sendable, Hashable {
  /// Its keys by name, in lower case.
  private var byName: [String: KeyTally] = [:]
  /// An announcement is heard, or made here.
  public var isAnnouncing = false

  /// A station without keys.
  public init() {}

  /// All its keys.
  public var keys: [KeyTally] { Array(byName.values) }

  /// A key by its name, in upper or lower case; of one that the station does not have nothing is told.
  public subscript(key: String) -> KeyTally {
    get { byName[key.lowercased()] ?? KeyTally() }
    set { byName[key.lowercased()] = newValue }
  }
}

/// How bright a lamp is; one that is either on or off takes `dim` for off.
public enum LampLight: Sendable, Hashable {
  /// Dark.
  case off
  /// Just to be seen in the dark.
  case dim
  /// As bright as it gets.
  case bright
}

/// What a lamp says, in the language of intercom panels, as light by time.
///
/// Flashes of all lamps are in step: they depend on the time alone.
public enum LampPattern: Sendable, Hashable, CaseIterable {
  /// Nothing to say.
  case off
  /// There is a key, and it is not in use.
  case dim
  /// The key is open.
  case steady
  /// Two short flashes a second: somebody talks there.
  case inUse
  /// Two flashes a second: a call.
  case call
  /// A blink every two seconds: the station does not answer.
  case away

  /// How long each light lasts, over and over; empty: the first for ever.
  private var course: [(light: LampLight, milliseconds: Int64)] {
    switch self {
    case .off: [(.off, 0)]
    case .dim: [(.dim, 0)]
    case .steady: [(.bright, 0)]
    case .inUse: [(.bright, 100), (.dim, 100), (.bright, 100), (.dim, 700)]
    case .call: [(.bright, 250), (.off, 250)]
    case .away: [(.bright, 60), (.off, 1940)]
    }
  }

  /// The light at a moment, and when it changes next; nil: never.
  ///
  /// - Parameter time: 0 and more.
  public func light(at time: Duration) -> (light: LampLight, until: Duration?) {
    let course = course
    let length = course.reduce(0) { $0 + $1.milliseconds }
    guard length > 0 else { return (course[0].light, nil) }
    let (seconds, attoseconds) = time.components
    let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
    var end = milliseconds - milliseconds % length
    for part in course {
      end += part.milliseconds
      if milliseconds < end { return (part.light, .milliseconds(end)) }
    }
    return (course[0].light, .milliseconds(end))
  }
}
