/// The keys of a node: which are set, which are pressed, and what follows for talking and listening.
///
/// Sans-I/O: one call at a time, all times of one steady clock.
struct KeyDesk {
  /// What all keys together do.
  struct Effect: Equatable {
    /// Lines that are talked to.
    var talks: Set<LineName> = []
    /// Lines that are listened to, whatever is set for them.
    var listens: Set<LineName> = []
    /// Lines that are not listened to, whatever is set for them.
    var mutes: Set<LineName> = []
    /// Whether lines that are not talked to are not listened to.
    var isolates = false
    /// Whether something talks, and only keys that send the microphone untreated.
    var isUntreated = false
    /// Who else is talked to.
    var targets: Set<KeyTarget> = []
  }

  /// What one holder pressed of late.
  private struct Presses {
    var count = 0
    var sinceNanoseconds: Int64 = .min / 2

    /// Counts one; false: it is one more than may be in a second.
    mutating func take(limit: Int, nowNanoseconds now: Int64) -> Bool {
      if now - sinceNanoseconds >= 1_000_000_000 { (count, sinceNanoseconds) = (0, now) }
      guard count < limit else { return false }
      count += 1
      return true
    }
  }

  /// By name, those that the user set.
  private(set) var configured: [KeyName: Key] = [:]
  private var states: [KeyName: KeyState] = [:]
  /// When a device is gone unless it is heard of again.
  private var leases: [KeyHolder: Int64] = [:]
  /// By holder, as long as it holds something or is there; and of all.
  private var presses: [KeyHolder: Presses] = [:]
  private var allPresses = Presses()
  /// Whether there is a key to answer calls, where none is set.
  var hasCalls = false
  /// How often a key of the assistant went down.
  private(set) var assistantPresses = 0

  /// The keys of a node that is on these lines: those that are set, and one for each line that has none.
  func keys(on lines: [LineName]) -> [Key] {
    let own = Set(configured.values.filter { $0.targets.count == 1 }.compactMap(\.targets[0].line))
    let implied = lines.filter { !own.contains($0) && configured[$0] == nil }
    var keys = implied.map(Key.init(of:)) + configured.values
    if hasCalls, !keys.contains(where: { $0.name == .reply || $0.targets.contains(.reply) }) {
      keys.append(.reply)
    }
    return keys.sorted { $0.name < $1.name }
  }

  func key(_ name: KeyName, on lines: [LineName]) throws(LineError) -> Key {
    guard let key = keys(on: lines).first(where: { $0.name == name }) else {
      throw .noSuchKey(name)
    }
    return key
  }

  func state(of name: KeyName) -> KeyState { states[name] ?? KeyState() }

  /// Sets a key, in the place of one of that name.
  mutating func set(_ key: Key) throws(LineError) {
    guard configured[key.name] != nil || configured.count < LineLimits.keys else {
      throw .tooManyKeys
    }
    configured[key.name] = key
  }

  /// Takes a key away; who holds it holds nothing.
  mutating func remove(_ name: KeyName) throws(LineError) {
    guard configured.removeValue(forKey: name) != nil else { throw .ownKey(name) }
    states[name] = nil
  }

  /// Forgets what no key is of any more.
  mutating func settle(on lines: [LineName]) {
    let names = Set(keys(on: lines).map(\.name))
    states = states.filter { names.contains($0.key) }
  }

  // MARK: Fingers

  mutating func press(
    _ key: Key, by holder: KeyHolder, on lines: [LineName], nowNanoseconds now: Int64
  ) throws(LineError) {
    try note(holder, now)
    let isNew = !state(of: key.name).holders.contains(holder)
    if isNew { try countPress(by: holder, now) }
    guard states[key.name, default: KeyState()].press(by: holder, nowNanoseconds: now)
    else { return }
    if key.targets.contains(.assistant) { assistantPresses += 1 }
    guard key.activation.talks, let group = key.interlock else { return }
    for other in keys(on: lines) where other.interlock == group && other.name != key.name {
      states[other.name]?.giveWay()
    }
  }

  /// Lets go of a key; true: listening to its lines is to be turned.
  mutating func release(
    _ key: Key, by holder: KeyHolder, isTap: Bool? = nil, nowNanoseconds now: Int64
  ) throws(LineError) -> Bool {
    try note(holder, now)
    let turns =
      states[key.name]?.release(by: holder, of: key, isTap: isTap, nowNanoseconds: now) ?? false
    forgetIdle(key.name)
    return turns
  }

  /// A device is there.
  mutating func note(_ holder: KeyHolder, _ now: Int64) throws(LineError) {
    guard holder != .command else { return }
    // The one MIDI port is held up by no devices.
    guard holder == .midi || leases[holder] != nil || leases.count < LineLimits.holders else {
      throw .badHolder
    }
    leases[holder] = now + LineLimits.leaseNanoseconds
  }

  /// Lets go of all that devices hold that are gone; nothing latches by that.
  mutating func expire(on lines: [LineName], nowNanoseconds now: Int64) {
    for (holder, until) in leases where until <= now {
      presses[holder] = nil
      lose(holder, on: lines, nowNanoseconds: now)
    }
  }

  /// Lets go of all that a holder holds; nothing latches by that.
  mutating func lose(_ holder: KeyHolder, on lines: [LineName], nowNanoseconds now: Int64) {
    leases[holder] = nil
    for key in keys(on: lines) {
      _ = states[key.name]?.release(by: holder, of: key, isTap: false, nowNanoseconds: now)
      forgetIdle(key.name)
    }
  }

  var nextDeadlineNanoseconds: Int64 { leases.values.min() ?? .max }

  /// Opens a key for good, or closes it.
  mutating func set(_ key: Key, latched: Bool) {
    states[key.name, default: KeyState()].set(latched: latched)
    forgetIdle(key.name)
  }

  /// A key is open by nothing but a finger.
  mutating func unlatch(_ name: KeyName) {
    states[name]?.unlatch()
    forgetIdle(name)
  }

  /// No key is latched any more; who holds one holds it still.
  mutating func releaseLatches(on lines: [LineName]) -> ReleasedKeys {
    let talking = keys(on: lines).filter(talks)
    for name in states.keys { unlatch(name) }
    let isForced = Dictionary(grouping: talking.filter(talks)) { $0.activation.forcesTalk }
    return ReleasedKeys(
      released: talking.filter { !talks($0) }.map(\.name),
      held: (isForced[false] ?? []).map(\.name), forced: (isForced[true] ?? []).map(\.name))
  }

  /// Keys that are for replies alone close: nobody is there any more whom they would talk to.
  mutating func closeReplies(on lines: [LineName]) {
    for key in keys(on: lines) where key.targets == [.reply] && states[key.name] != nil {
      states[key.name]?.giveWay()
      forgetIdle(key.name)
    }
  }

  private mutating func forgetIdle(_ name: KeyName) {
    if states[name]?.isIdle == true { states[name] = nil }
  }

  /// One that chatters takes nothing from the others, and many together hold up nobody.
  private mutating func countPress(by holder: KeyHolder, _ now: Int64) throws(LineError) {
    guard
      presses[holder, default: Presses()].take(
        limit: LineLimits.pressesPerSecond, nowNanoseconds: now),
      allPresses.take(limit: LineLimits.allPressesPerSecond, nowNanoseconds: now)
    else { throw .tooFast }
  }

  // MARK: What follows

  /// Whether a key talks now.
  func talks(_ key: Key) -> Bool {
    key.activation.forcesTalk || key.activation.talks && state(of: key.name).isOpen
  }

  /// Whether a key talks now to who called.
  func replies(on lines: [LineName]) -> Bool {
    keys(on: lines).contains { $0.targets.contains(.reply) && talks($0) }
  }

  /// Whether one of them does always.
  func repliesAlways(on lines: [LineName]) -> Bool {
    keys(on: lines).contains { $0.targets.contains(.reply) && $0.activation.forcesTalk }
  }

  /// Whether a key listens now, whatever is set for its lines.
  func listens(_ key: Key) -> Bool {
    key.activation.forcesListen || key.activation.listens && state(of: key.name).isOpen
      || key.listensWhileTalking && talks(key)
  }

  /// What all keys together do.
  func effect(on lines: [LineName]) -> Effect {
    var effect = Effect()
    var (talking, untreated) = (0, 0)
    for key in keys(on: lines) {
      let talks = talks(key)
      let isListening = listens(key)
      guard talks || isListening, key.targets != [.assistant] else { continue }
      let own = key.lines(among: lines)
      if isListening { effect.listens.formUnion(own) }
      guard talks else { continue }
      talking += 1
      if key.sendsUntreated { untreated += 1 }
      effect.talks.formUnion(own)
      effect.targets.formUnion(
        key.targets.filter { $0.line == nil && $0 != .allLines && $0 != .assistant })
      if key.mutesWhileTalking { effect.mutes.formUnion(own) }
      if key.isolates { effect.isolates = true }
    }
    effect.isUntreated = talking > 0 && untreated == talking
    return effect
  }
}
