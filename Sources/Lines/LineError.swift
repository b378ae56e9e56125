/// Why a line or a key is not as the user wants it; each says what to do.
public enum LineError: Error, Hashable, Sendable {
  /// No label of a line or a key.
  case badLabel(String)
  /// There is a line of that name already.
  case lineExists(Label)
  /// Nobody in the group is on a line of that name.
  case noSuchLine(Label)
  /// This node is not on it.
  case notOnLine(Label)
  /// This node is on as many as it may be.
  case tooManyOwnLines
  /// The group has as many as it may have.
  case tooManyLines
  /// Everyone is on the line `all`.
  case cannotLeaveAll
  /// Out of range.
  case badLevel(Double)
  /// There is no key of that name.
  case noSuchKey(Label)
  /// A key has to have a target.
  case noTarget(Label)
  /// There are as many keys as there may be.
  case tooManyKeys
  /// Out of range.
  case badLatch(Int)
  /// Out of range.
  case badInterlock(Int)
  /// A key that comes with a line cannot be removed.
  case ownKey(Label)
  /// The key of `all` was set to be no talk key.
  case noTalkKey(Label)
  /// None of the seven.
  case badActivation(String)
  /// Too many presses a second.
  case tooFast
  /// A device or page that holds keys is called so, or there are too many.
  case badHolder
}

extension LineError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String {
    switch self {
    case .badLabel(let text):
      "\"\(text.prefix(40))\" is no name for a line or a key: use 1 to \(Label.byteLimit) bytes, no "
        + "control characters and no space at either end"
    case .lineExists(let name): "there is a line \(name); join it with: comlink line join '\(name)'"
    case .noSuchLine(let name):
      "no line is called \(name); comlink line list shows all, comlink line new '\(name)' makes it"
    case .notOnLine(let name):
      "this node is not on line \(name); join it with: comlink line join '\(name)'"
    case .tooManyOwnLines:
      "a node can be on \(LineLimits.ownLines) lines; leave one with comlink line leave first"
    case .tooManyLines:
      "the group has \(LineLimits.lines) lines, which is the most; one goes once all have left it"
    case .cannotLeaveAll:
      "everyone is on line all; to hear nothing of it: comlink line listen all off"
    case .badLevel(let decibels):
      "the level must be from \(Int(LineLimits.levelDecibels.lowerBound)) to "
        + "\(Int(LineLimits.levelDecibels.upperBound)) dB, not \(decibels)"
    case .noSuchKey(let name): "no key is called \(name); comlink key list shows all"
    case .noTarget(let name):
      "key \(name) has no target; give it 1 to \(LineLimits.linesOfKey) lines"
    case .tooManyKeys:
      "there can be \(LineLimits.keys) keys; remove one with comlink key remove first"
    case .badLatch(let milliseconds):
      "the latch time must be from 0 (never) to \(LineLimits.latchMilliseconds) ms, not "
        + "\(milliseconds)"
    case .badInterlock(let group):
      "the interlock group must be from 1 to \(LineLimits.interlockGroups), not \(group)"
    case .ownKey(let name):
      "key \(name) comes with its line; it goes when you leave the line, or set another for it"
    case .noTalkKey(let name):
      "key \(name) is set to be no talk key; change that with: comlink key set '\(name)'"
    case .badActivation(let word):
      "\"\(word.prefix(40))\" is no activation; use one of "
        + KeyActivation.allCases.map(\.rawValue).joined(separator: ", ")
    case .tooFast:
      "more than \(LineLimits.pressesPerSecond) presses in a second; is a contact bouncing?"
    case .badHolder:
      "the holder of a key must be 1 to \(Label.byteLimit) bytes long, and at most "
        + "\(LineLimits.holders) can hold keys at a time"
    }
  }
}

/// Bounds of lines and keys.
public enum LineLimits {
  /// Most lines of a group, `all` not counted.
  public static let lines = 64
  /// Most lines that a node is on, `all` not counted.
  public static let ownLines = 24
  /// The levels that a line can have in the ear.
  public static let levelDecibels = -40.0...12.0
  /// Most keys that are set.
  public static let keys = 64
  /// Most lines that a key is for.
  public static let linesOfKey = 24
  /// The longest time under which a press latches.
  public static let latchMilliseconds = 1000
  /// Groups of keys of which one talks at a time.
  public static let interlockGroups = 9
  /// Most presses that are taken in a second.
  public static let pressesPerSecond = 32
  /// Most devices and pages that hold keys at a time.
  public static let holders = 32
  /// A holder that says nothing for so long is gone.
  public static let leaseNanoseconds: Int64 = 1_000_000_000
}
