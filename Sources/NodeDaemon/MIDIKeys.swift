internal import Keys
internal import Lines

/// Keys that a MIDI device works, and its lamps: messages and times in, what to do and messages out.
///
/// It holds no port and no clock. A note or a controller that goes down presses its key, once until it goes up.
/// A lamp that several keys have shows the brightest of them.
struct MIDIKeys: Sendable {
  /// A key of the station that a control works.
  struct Binding: Sendable, Hashable {
    let key: KeyName
    let control: MIDIControl
  }

  /// What a finger does.
  enum Action: Sendable, Hashable {
    case press(KeyName)
    case release(KeyName)
  }

  /// What came, since the start.
  struct Counters: Sendable, Hashable {
    /// Messages of notes and controllers that are some key's.
    var taken = 0
    /// Others.
    var ignored = 0
    /// What is no message.
    var malformed = 0
    /// Presses that were too many.
    var flooded = 0
  }

  private var bindings: [Binding] = []
  private var tallies: [KeyName: KeyTally] = [:]
  private var down: Set<Binding> = []
  /// What lamps show, by the message that sets them dark.
  private var told: [[UInt8]: UInt8] = [:]
  private(set) var counters = Counters()
  /// Presses of the second that began then.
  private var presses = (sinceTime: Duration.zero, count: 0)
  /// When ``lamps(at:)`` has something to tell though nothing happened; nil: never.
  private(set) var deadline: Duration?

  /// Whether there are any keys.
  var isEmpty: Bool { bindings.isEmpty }
  /// Whether a key is down.
  var isPressing: Bool { !down.isEmpty }

  /// Takes which keys there are; false: one that is down is worked by its control no more.
  mutating func bind(_ bindings: [Binding]) -> Bool {
    self.bindings = bindings
    return down.isSubset(of: bindings)
  }

  /// Takes what the lamps of the keys are to show.
  mutating func show(_ tallies: [KeyName: KeyTally]) { self.tallies = tallies }

  /// Takes what came at the port.
  ///
  /// More presses than a holder of keys has in a second do nothing.
  ///
  /// - Parameter time: 0 and more.
  mutating func take(_ octets: [UInt8], at time: Duration) -> [Action] {
    let edge: MIDIEdge
    switch MIDIMessage(octets) {
    case .edge(let known): edge = known
    case .other:
      counters.ignored += 1
      return []
    case .malformed:
      counters.malformed += 1
      return []
    }
    let meant = bindings.filter { $0.control.matches(edge) }
    if meant.isEmpty { counters.ignored += 1 } else { counters.taken += 1 }
    return meant.compactMap { binding in
      guard edge.isDown else { return down.remove(binding).map { .release($0.key) } }
      guard !down.contains(binding), countPress(at: time) else { return nil }
      down.insert(binding)
      return .press(binding.key)
    }
  }

  private mutating func countPress(at time: Duration) -> Bool {
    if time - presses.sinceTime >= .seconds(1) { presses = (time, 0) }
    guard presses.count < LineLimits.pressesPerSecond else {
      counters.flooded += 1
      return false
    }
    presses.count += 1
    return true
  }

  /// Nothing is down any more: the device is gone, or its messages are lost.
  mutating func lose() { down = [] }

  /// Somebody is there who knows nothing of the lamps.
  mutating func forgetLamps() { told = [:] }

  /// The messages that set the lamps which have changed; dark those that are no key's any more.
  ///
  /// - Parameter time: 0 and more.
  mutating func lamps(at time: Duration) -> [[UInt8]] {
    var wanted: [[UInt8]: UInt8] = [:]
    deadline = nil
    for binding in bindings {
      let (light, until) = Self.pattern(of: tallies[binding.key] ?? KeyTally()).light(at: time)
      if let until { deadline = min(deadline ?? until, until) }
      wanted[binding.control.lamp(0), default: 0].raise(to: Self.velocity(of: light))
    }
    var messages: [[UInt8]] = []
    for lamp in Set(wanted.keys).union(told.keys) {
      let value = wanted[lamp] ?? 0
      guard told[lamp] != value else { continue }
      told[lamp] = wanted[lamp]
      messages.append(Array(lamp.dropLast()) + [value])
    }
    return messages.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// As a lamp of `comlink-keys` that shows all.
  private static func pattern(of key: KeyTally) -> LampPattern {
    LampSettings(key: "", place: .light("")).pattern(of: key)
  }

  /// Dim is below 64: a device that only knows on and off takes it for off.
  static func velocity(of light: LampLight) -> UInt8 {
    switch light {
    case .off: 0
    case .dim: 16
    case .bright: 127
    }
  }
}

extension UInt8 {
  fileprivate mutating func raise(to other: UInt8) { self = Swift.max(self, other) }
}
