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
  /// Neither on nor off for a key's voice.
  case badKeyVoice(String)
  case badMIDI(String)
  /// Too many presses a second.
  case tooFast
  /// More lines than the keys of a device.
  case tooFewKeys(KeyPreset)
  /// None of the devices.
  case badPreset(String)
  /// A setting of the ear that will not do, in words.
  case badEar(String)
  /// Out of range.
  case badPriority(Int)
  /// A device or page that holds keys is called so, or there are too many.
  case badHolder
  /// No member can be called so.
  case badMember(String)
  /// No group can be called so.
  case badGroup(String)
  /// No target of a key.
  case badTarget(String)
  /// No member is called so, or more than one.
  case noSuchMember(String)
  /// A reply needs a call.
  case nobodyCalled
  /// There are as many calls as there may be.
  case tooManyCalls
  /// This node does not know itself yet.
  case privateLinesNotReady
  /// This node is on as many private lines as it may be.
  case tooManyPrivateLines
  /// Nobody invites to a private line of that name.
  case noInvitation(Label)
  /// A line and an invitation have one name.
  case lineAndInvitation(Label)
  /// Several invitations have one name.
  case severalInvitations(Label)
  /// It is no private line of this node.
  case notPrivate(Label)
  /// The member to be removed is not on it.
  case notOnPrivateLine(Label)
  /// As many are on it as may be.
  case privateLineFull(Label)
  /// Out of range.
  case badPan(Double)
  /// As many lines as may have outputs of their own.
  case noFreePort(Int)
  /// Whom a key is for lets none latch.
  case latchRefused(Label, by: String)
  /// No name for displays.
  case badDisplay(String)
  /// No right of an operator.
  case badOperatorRight(String)
  /// The member is no operator.
  case noOperator
  /// As many are as may be.
  case tooManyOperators
  /// There is nothing to be heard again; nil: of any line.
  case nothingSaid(Label?)
  /// It cannot be played, for that reason.
  case notPlayed(String)
  /// There are as many streams as there may be, and all talk.
  case tooManyAudiences
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
      "key \(name) has no target; give it 1 to \(LineLimits.targetsOfKey) lines, members or groups"
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
    case .badMIDI(let text):
      "\"\(text.prefix(40))\" is no MIDI control; write note 60, cc 64 or note 60 channel 1, with "
        + "numbers from 0 to 127 and channels from 1 to 16"
    case .badKeyVoice(let word): "a key's voice is on or off, not \"\(word.prefix(40))\""
    case .tooFast:
      "more than \(LineLimits.pressesPerSecond) presses in a second; is a contact bouncing?"
    case .tooFewKeys(let preset):
      "a \(preset.rawValue) has \(preset.names.count) keys; name as many lines at most"
    case .badPreset(let word):
      "there is no ready-made set \"\(word.prefix(40))\"; use one of "
        + KeyPreset.allCases.map(\.rawValue).joined(separator: ", ")
    case .badEar(let words): words
    case .badPriority(let priority):
      "the priority must be from \(EarSettings.priorities.lowerBound) (below standard) to "
        + "\(EarSettings.priorities.upperBound) (emergency), not \(priority)"
    case .badHolder:
      "the holder of a key must be 1 to \(Label.byteLimit) bytes long, and at most "
        + "\(LineLimits.holders) can hold keys at a time"
    default: callWords
    }
  }

  private var callWords: String {
    switch self {
    case .badMember(let text):
      "\"\(text.prefix(40))\" is no name of a member: use 1 to \(MemberName.byteLimit) bytes"
    case .badGroup(let text):
      "\"\(text.prefix(40))\" is no name of a group; comlink group list shows all"
    case .badTarget(let text):
      "\"\(text.prefix(40))\" is no target of a key; use line:NAME, member:NAME, group:NAME, reply, "
        + "announcement or all"
    case .noSuchMember(let text):
      "no member is called \(text.prefix(40)), or more than one; comlink status shows all, and the "
        + "words of an ID are always one member's"
    case .nobodyCalled: "nobody has called, so there is nobody to reply to; use comlink call"
    case .tooManyCalls:
      "\(LineLimits.calls) calls ring already; end one with comlink call --end first"
    case .privateLinesNotReady, .tooManyPrivateLines, .noInvitation, .lineAndInvitation,
      .severalInvitations, .notPrivate, .notOnPrivateLine, .privateLineFull:
      privateWords
    case .latchRefused, .badDisplay: otherWords
    case .nothingSaid(let line?):
      "nobody was heard on line \(line) within the last 10 minutes; listen to it with: comlink line listen "
        + "'\(line)' on"
    case .nothingSaid(nil): "nobody was heard on a line within the last 10 minutes"
    case .notPlayed(let why): why
    case .noFreePort(0): "buses have all \(LineLimits.ports) outputs; remove one with --bus"
    case .noFreePort(let count):
      "lines have all \(count) outputs that are free; free one with comlink line port LINE off"
    case .badPan(let pan): "the pan must be from -1 (left) to 1 (right), not \(pan)"
    case .badOperatorRight(let word):
      "\"\(word.prefix(40))\" is no right of an operator; use mic-gain, levels, keys or kill"
    case .noOperator:
      "the member is no operator here; comlink operator list shows who is"
    case .tooManyOperators:
      "\(LineLimits.operators) members are operators, which is the most; deny one with comlink operator "
        + "deny first"
    default:
      "a node talks to \(AudienceList.limit) members, groups and private lines at a time; close a "
        + "key first"
    }
  }
}

extension LineError {
  fileprivate var otherWords: String {
    switch self {
    case .latchRefused(let key, let name):
      "\(name) lets no key stay open; hold it with comlink key press '\(key)', let go with comlink key "
        + "release '\(key)'"
    case .badDisplay(let text):
      "\"\(text.prefix(40))\" is no name for displays: use 1 to \(Label.displayCharacters) characters and "
        + "\(Label.byteLimit) bytes, or none for the first of the line's name"
    default: ""
    }
  }

  fileprivate var privateWords: String {
    switch self {
    case .privateLinesNotReady: "the node starts still; try again in a second"
    case .tooManyPrivateLines:
      "a node can be on \(LineLimits.privateLines) private lines; leave one with comlink line leave first"
    case .noInvitation(let name):
      "nobody invites to a private line \(name); ask somebody on it for: comlink line add '\(name)' NAME"
    case .lineAndInvitation(let name):
      "there is a line \(name) for all, and an invitation to a private one; to take that: comlink line join "
        + "'\(name)' --private, to decline it: comlink line leave '\(name)'"
    case .severalInvitations(let name):
      "you are invited to several private lines \(name); decline all with comlink line leave '\(name)', and "
        + "ask for one of another name"
    case .notPrivate(let name):
      "this node is on no private line \(name); comlink line new '\(name)' --private makes one"
    case .notOnPrivateLine(let name):
      "the member is not on line \(name); comlink line list shows who is"
    case .privateLineFull(let name):
      "line \(name) has \(PrivateRoster.limit) members, which is the most; remove one with comlink line remove"
    default: ""
    }
  }
}

/// Bounds of lines and keys.
public enum LineLimits {
  /// Most lines of a group, `all` not counted.
  public static let lines = 64
  /// Most lines that a node is on, `all` not counted.
  public static let ownLines = 24
  /// Most members that may set something here.
  public static let operators = 32
  /// Most private lines of them.
  public static let privateLines = 8
  /// Most invitations to private lines that are shown.
  static let invitations = 16
  /// The levels that a line can have in the ear.
  public static let levelDecibels = -40.0...12.0
  /// Where a line can be heard, left to right.
  public static let pan = -1.0...1.0
  /// Most buses, and lines with outputs of their own, together.
  public static let ports = 6
  /// Most keys that are set.
  public static let keys = 64
  /// Most lines, members and groups that a key is for.
  public static let targetsOfKey = 24
  /// The longest time under which a press latches.
  public static let latchMilliseconds = 1000
  /// Groups of keys of which one talks at a time.
  public static let interlockGroups = 9
  /// Most presses of one holder that are taken in a second.
  public static let pressesPerSecond = 32
  /// Most presses of all holders together.
  public static let allPressesPerSecond = 256
  /// Most devices and pages that hold keys at a time.
  public static let holders = 32
  /// A holder that says nothing for so long is gone.
  public static let leaseNanoseconds: Int64 = 1_000_000_000
  /// Most calls of a node that ring at a time.
  public static let calls = 24
  /// Most calls that one member is told of at a time: those of lines and its own.
  static let callsToMember = 25
  /// Calls that came and can be answered.
  public static let replyStack = 8
  /// A call rings for so long, unless it is answered or ended before.
  public static let callNanoseconds: Int64 = 30_000_000_000
  /// So long after the last of it a call that came is forgotten.
  public static let clearNanoseconds: Int64 = 30_000_000_000
  /// Most messages of a member that are taken in a second: what it has to say takes eight.
  public static let messagesPerSecond = 64
  /// Most new calls of a member that are taken in a second.
  public static let ringsPerSecond = 32
}
