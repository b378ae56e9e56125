/// A panel of buttons, lamps and relays, as its configuration has it.
public struct PanelSettings: Sendable, Hashable {
  /// Its buttons; any number of them may press one key.
  public var buttons: [ButtonSettings] = []
  /// Its lamps.
  public var lamps: [LampSettings] = []
  /// Its relays.
  public var relays: [RelaySettings] = []
  /// How long a contact is not believed after an edge.
  public var bounce = PanelSettings.usualBounce

  /// Contacts bounce for up to 5 ms.
  public static let usualBounce = Duration.milliseconds(10)
  /// What ``bounce`` may be.
  public static let bounceRange = Duration.zero...Duration.milliseconds(200)

  /// A panel with nothing on it.
  public init() {}

  /// Whether there is nothing on it.
  public var isEmpty: Bool { buttons.isEmpty && lamps.isEmpty && relays.isEmpty }
}

/// A line of a GPIO chip.
public struct LineSettings: Sendable, Hashable {
  /// What holds an input while the contact is open.
  public enum Pull: String, Sendable, Hashable, CaseIterable {
    /// To the supply: the button connects the line to ground.
    case up
    /// To ground: the button connects the line to the supply.
    case down
    /// Something outside.
    case none
  }

  /// Its name, such as GPIO17; nil: ``offset`` tells which one.
  public var name: String?
  /// Its number on ``chip``, where it has no name.
  public var offset: UInt32?
  /// The chip's label or name; nil: whichever has the line.
  public var chip: String?
  /// An input's.
  public var pull = Pull.up
  /// Whether it is active at ground.
  public var isActiveLow: Bool

  /// A line by its name.
  public init(name: String, isActiveLow: Bool) {
    self.name = name
    self.isActiveLow = isActiveLow
  }

  /// A line by its number on a chip.
  public init(offset: UInt32, chip: String, isActiveLow: Bool) {
    self.offset = offset
    self.chip = chip
    self.isActiveLow = isActiveLow
  }

  /// The line in words.
  public var words: String {
    let line = name ?? "line \(offset ?? 0)"
    return chip.map { "\(line) of \($0)" } ?? line
  }
}

/// A key of an input device, such as a foot switch or a headset.
public struct InputSettings: Sendable, Hashable {
  /// The device's name, in which `*` stands for anything, or its path below `/dev/input`.
  public var device: String
  /// The key's code (input-event-codes.h).
  public var code: UInt16
  /// Whether nobody else hears of the device.
  public var isGrabbed = true

  /// A key of a device that is taken from all others.
  public init(device: String, code: UInt16) {
    self.device = device
    self.code = code
  }
}

/// A button, and what it presses.
public struct ButtonSettings: Sendable, Hashable {
  /// Where it is.
  public enum Contact: Sendable, Hashable {
    /// A line of a GPIO chip.
    case line(LineSettings)
    /// A key of an input device.
    case input(InputSettings)
  }

  /// The station's key that it presses.
  public var key: String
  /// Where it is.
  public var contact: Contact

  /// A button.
  public init(key: String, contact: Contact) {
    self.key = key
    self.contact = contact
  }
}

/// A lamp, and what it shows.
public struct LampSettings: Sendable, Hashable {
  /// What there is to be shown of a key.
  public enum Shown: String, Sendable, Hashable, CaseIterable {
    /// All: a call before talk, talk before use.
    case all
    /// Whether the key talks.
    case talk
    /// Whether it listens, and whether somebody talks there.
    case listen
    /// Whether somebody calls.
    case call
  }

  /// Where it is.
  public enum Place: Sendable, Hashable {
    /// A light of the kernel, by its name in `/sys/class/leds`.
    case light(String)
    /// A line of a GPIO chip.
    case line(LineSettings)
  }

  /// The station's key that it shows.
  public var key: String
  /// What of it.
  public var shown = Shown.all
  /// Where it is.
  public var place: Place

  /// A lamp that shows all of a key.
  public init(key: String, place: Place) {
    self.key = key
    self.place = place
  }

  /// What it says of a key.
  public func pattern(of key: KeyTally) -> LampPattern {
    switch shown {
    case .all where key.isCalled: .call
    case .all where key.isTalking: .steady
    case .all where key.isInUse: .inUse
    case .all: .dim
    case .talk: key.isTalking ? .steady : .dim
    case .listen where key.isInUse: .inUse
    case .listen: key.isListening ? .steady : .off
    case .call: key.isCalled ? .call : .off
    }
  }
}

/// A relay, and what it follows.
public struct RelaySettings: Sendable, Hashable {
  /// What makes it close.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// A key that talks.
    case talk
    /// A call.
    case call
    /// An announcement.
    case announcement
  }

  /// What it follows.
  public var cause: Cause
  /// The only key that counts; nil: each of them.
  public var key: String?
  /// How long it stays closed when that is over.
  public var hold = Duration.zero
  /// Where it is.
  public var line: LineSettings

  /// What ``hold`` may be.
  public static let holdRange = Duration.zero...Duration.seconds(60)

  /// A relay that follows each key.
  public init(cause: Cause, line: LineSettings) {
    self.cause = cause
    self.line = line
  }

  /// Whether the station gives it a cause to be closed.
  public func isClosed(by tally: Tally) -> Bool {
    guard cause != .announcement else { return tally.isAnnouncing }
    let keys = key.map { [tally[$0]] } ?? tally.keys
    return keys.contains { cause == .talk ? $0.isTalking : $0.isCalled }
  }
}
