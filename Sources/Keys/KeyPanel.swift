/// A panel of buttons, lamps and relays beside a station: contacts and times in, what to do out.
///
/// It holds no descriptor and no clock: whoever has them tells what happened, then asks for ``turn(at:)``, at the
/// latest at the ``deadline``. A key of the station is pressed while any of its buttons is. What is pressed while the
/// station does not answer is pressed when it does again, if it is still held then; a press that came and went is not
/// made up for, as nobody would expect it any more.
public struct KeyPanel: Sendable {
  /// The station counts from when it hears of a press and of its end: the two ways may differ by so much.
  static let latchMargin = Duration.milliseconds(20)
  /// A tap whose device goes so soon after it was none: of one that is unplugged, the kernel lets go of what is held
  /// first, as a hand would, and tells a while later that it is gone.
  static let tapDoubt = Duration.seconds(1)
  /// By then the station has told what became of a tap.
  static let tallyDelay = Duration.milliseconds(100)

  /// What is to be done.
  public enum Action: Sendable, Hashable {
    /// Press a key of the station.
    case press(key: String)
    /// Release it.
    case release(key: String)
    /// Light a lamp, by its number in the settings.
    case light(lamp: Int, LampLight)
    /// Close or open a relay, by its number in the settings.
    case relay(Int, isClosed: Bool)
    /// Look what a button says, and call ``settle(button:isClosed:at:)``.
    case look(button: Int)
    /// A button is pressed too often, and does nothing until it is still.
    case floods(button: Int)
    /// It is still.
    case isCalm(button: Int)
  }

  /// A key that is pressed at the station.
  private struct Press {
    let time: Duration
    /// Whether a short press may be one that a person means as such: one that is made again for a connection that was
    /// lost, or that ends with its device, must not latch.
    var isMeant: Bool
    /// When it is to be released at last.
    var ends: Duration?
  }

  private let settings: PanelSettings
  private var contacts: [Contact]
  /// Keys that are pressed at the station.
  private var pressed: [String: Press] = [:]
  /// Keys whose last press was a tap, by which button, and when it ended.
  private var taps: [String: (button: Int, end: Duration)] = [:]
  /// Keys whose last tap was none, and when what it latched is to be closed.
  private var undone: [String: Duration] = [:]
  private var tally = Tally()
  /// Whether the station answers.
  private var isLinked = false
  private var lights: [LampLight?]
  /// When each relay opens that has no cause any more, or the past; nil: it is open, or has a cause.
  private var opens: [Duration?]
  private var relays: [Bool?]
  private var due: [Action] = []

  /// A panel with all buttons released, beside a station that does not answer yet.
  public init(_ settings: PanelSettings) {
    self.settings = settings
    contacts = settings.buttons.map { _ in Contact(quiet: settings.bounce) }
    lights = settings.lamps.map { _ in nil }
    relays = settings.relays.map { _ in nil }
    opens = settings.relays.map { _ in nil }
  }

  /// When ``turn(at:)`` has something to do though nothing happened.
  public private(set) var deadline: Duration?

  /// A button closed or opened.
  public mutating func button(_ number: Int, isClosed: Bool, at time: Duration) {
    note(contacts[number].take(isClosed, at: time), number, at: time)
  }

  /// What a button says that was to be looked at; nil: it cannot be asked.
  public mutating func settle(button number: Int, isClosed: Bool?, at time: Duration) {
    note(contacts[number].settle(isClosed, at: time), number, at: time)
  }

  /// A button's device is gone.
  ///
  /// Its key is released, at once or when the station cannot take that for a tap, which would leave the key open. What
  /// its last tap left open is closed, if that was a moment ago.
  public mutating func lose(button number: Int, at time: Duration) {
    let key = settings.buttons[number].key
    let changes = contacts[number].lose()
    if !changes.isEmpty { pressed[key]?.isMeant = false }
    note(changes, number, at: time)
    guard let tap = taps[key], tap.button == number, time < tap.end + Self.tapDoubt else { return }
    undone[key] = time + Self.tallyDelay
  }

  /// The station answers from now on, or no more.
  ///
  /// With the connection goes what was pressed by it: the station releases that by itself. What is pressed again for
  /// the next one does not latch, however soon it ends.
  public mutating func link(isUp: Bool, at time: Duration) {
    guard isUp != isLinked else { return }
    isLinked = isUp
    pressed = [:]
    (taps, undone) = ([:], [:])
    tally = Tally()
    guard isUp else { return }
    for number in contacts.indices where contacts[number].isDown {
      press(settings.buttons[number].key, at: time, isMeant: false)
    }
  }

  /// What the station tells of its keys.
  public mutating func show(_ tally: Tally) { self.tally = tally }

  /// What is to be done now, in this order; after a ``Action/look(button:)`` more is, in another turn.
  public mutating func turn(at time: Duration) -> [Action] {
    deadline = nil
    for number in contacts.indices {
      guard let end = contacts[number].deadline else { continue }
      if end <= time { due.append(.look(button: number)) } else { remind(at: end) }
    }
    for (key, press) in pressed.sorted(by: { $0.key < $1.key }) {
      guard let end = press.ends else { continue }
      if end <= time { finish(key) } else { remind(at: end) }
    }
    for (key, end) in undone.sorted(by: { $0.key < $1.key }) {
      if end <= time { undo(key) } else { remind(at: end) }
    }
    for number in lights.indices { light(number, at: time) }
    for number in relays.indices { relay(number, at: time) }
    defer { due = [] }
    return due
  }

  /// What is to be done at the end: the station's keys released, lamps off, relays open.
  ///
  /// A key that was just pressed is left to the station, which releases what nobody holds any more.
  public mutating func end(at time: Duration) -> [Action] {
    let keys = pressed.sorted { $0.key < $1.key }.filter { tapEnd($0.key, $0.value) <= time }
      .map { Action.release(key: $0.key) }
    pressed = [:]
    return keys + lights.indices.map { .light(lamp: $0, .off) }
      + relays.indices.map { .relay($0, isClosed: false) }
  }

  private mutating func note(_ changes: [Contact.Change], _ number: Int, at time: Duration) {
    let key = settings.buttons[number].key
    for change in changes {
      switch change {
      case .pressed: press(key, at: time, isMeant: true)
      case .released: release(number, at: time)
      case .floods: due.append(.floods(button: number))
      case .isCalm: due.append(.isCalm(button: number))
      }
    }
  }

  private mutating func press(_ key: String, at time: Duration, isMeant: Bool) {
    guard isLinked else { return }
    (taps[key], undone[key]) = (nil, nil)
    // One that waits for its end goes on.
    guard pressed[key] == nil else {
      pressed[key]?.ends = nil
      return
    }
    pressed[key] = Press(time: time, isMeant: isMeant)
    due.append(.press(key: key))
  }

  /// Unless another button holds it.
  private mutating func release(_ number: Int, at time: Duration) {
    let key = settings.buttons[number].key
    let isHeld = zip(settings.buttons, contacts).contains { $0.key == key && $1.isDown }
    guard !isHeld, let press = pressed[key] else { return }
    let end = tapEnd(key, press)
    guard time < end else { return finish(key) }
    guard press.isMeant else {
      pressed[key]?.ends = end
      return
    }
    taps[key] = (button: number, end: time)
    finish(key)
  }

  /// Closes what a tap has left open that was none, by the press of a latched key.
  private mutating func undo(_ key: String) {
    (taps[key], undone[key]) = (nil, nil)
    guard tally[key].isTalking else { return }
    due += [.press(key: key), .release(key: key)]
  }

  /// From when on the station cannot take the end of a press for that of a tap.
  private func tapEnd(_ key: String, _ press: Press) -> Duration {
    let latch = tally[key].latch
    return latch > .zero ? press.time + latch + Self.latchMargin : press.time
  }

  private mutating func finish(_ key: String) {
    pressed[key] = nil
    due.append(.release(key: key))
  }

  private mutating func light(_ number: Int, at time: Duration) {
    let lamp = settings.lamps[number]
    let pattern = isLinked ? lamp.pattern(of: tally[lamp.key]) : .away
    let (light, end) = pattern.light(at: time)
    if let end { remind(at: end) }
    guard lights[number] != light else { return }
    lights[number] = light
    due.append(.light(lamp: number, light))
  }

  private mutating func relay(_ number: Int, at time: Duration) {
    let relay = settings.relays[number]
    if isLinked, relay.isClosed(by: tally) {
      opens[number] = nil
      return set(relay: number, isClosed: true)
    }
    guard isLinked, relays[number] == true, relay.hold > .zero else {
      return set(relay: number, isClosed: false)
    }
    let end = opens[number] ?? time + relay.hold
    opens[number] = end
    guard end <= time else { return remind(at: end) }
    set(relay: number, isClosed: false)
  }

  private mutating func set(relay number: Int, isClosed: Bool) {
    if !isClosed { opens[number] = nil }
    guard relays[number] != isClosed else { return }
    relays[number] = isClosed
    due.append(.relay(number, isClosed: isClosed))
  }

  private mutating func remind(at time: Duration) {
    deadline = min(deadline ?? time, time)
  }
}

/// How long to wait for the station before the next try: from a tenth of a second to five, twice as long each time.
public struct RetryPause: Sendable {
  private static let range = Duration.milliseconds(100)...Duration.seconds(5)
  private var next = RetryPause.range.lowerBound

  /// Before the first try that fails.
  public init() {}

  /// After a try that failed.
  public mutating func afterFailure() -> Duration {
    defer { next = min(next * 2, Self.range.upperBound) }
    return next
  }
}

/// Names of devices, in which `*` stands for any text.
public struct NamePattern: Sendable, Hashable {
  private let parts: [String]

  /// A pattern.
  public init(_ text: String) {
    parts = text.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
  }

  /// Whether a name is meant, whole and as it is written.
  public func matches(_ name: String) -> Bool {
    guard parts.count > 1 else { return name == parts[0] }
    var rest = Substring(name)
    guard rest.hasPrefix(parts[0]) else { return false }
    rest = rest.dropFirst(parts[0].count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let found = Self.end(of: part, in: rest) else { return false }
      rest = rest[found...]
    }
    return rest.hasSuffix(parts[parts.count - 1])
  }

  /// Where the first place of a part in a text ends.
  private static func end(of part: String, in text: Substring) -> Substring.Index? {
    var start = text.startIndex
    while true {
      if text[start...].hasPrefix(part) { return text.index(start, offsetBy: part.count) }
      guard start < text.endIndex else { return nil }
      start = text.index(after: start)
    }
  }
}
