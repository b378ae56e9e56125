public import Cryptography
internal import Glibc
internal import RTP

/// A node's lines and keys: what its user and its devices do, what other members tell, and what follows for the media
/// path, for the others and for those who look.
///
/// Sans-I/O: one call at a time, all times of one steady clock. After each call ``routing`` is what the media path
/// should do, ``letters(nowNanoseconds:)`` is what goes to other members, and at ``nextDeadlineNanoseconds`` comes the
/// next ``tick(nowNanoseconds:)``.
///
/// A line is there while anyone is on it. Each node tells all members which lines it is on and what it does there, by
/// versions; nobody tells of others. So nothing can contradict, and after a partition each end says its own again.
public struct LineDesk: Sendable {
  private var own = OwnLines()
  private var desk = KeyDesk()
  private var directory = LineDirectory()
  private var outbox = LineOutbox()
  private var version: LineVersion
  /// The version's count when this node's lines changed last.
  private var linesCount: UInt64 = 1
  /// As others were told last, or are about to be.
  private var told: LineRecord
  /// How often something changed that is shown.
  public private(set) var revision: UInt64 = 0
  /// Messages of others that were refused, by reason.
  public private(set) var violations: [LineViolation: Int] = [:]

  /// The desk of a node's start.
  ///
  /// - Parameters:
  ///   - instance: the number of the start, higher than those before.
  ///   - settings: of the former run, or of a file; of too many lines the first.
  public init(instance: UInt64, settings: LineSettings = LineSettings(), isTalking: Bool = true) {
    version = LineVersion(instance: instance, count: 1)
    told = LineRecord(version: version)
    for line in settings.lines {
      _ = try? own.join(line.name)
      try? own.change(line.name) {
        ($0.isListening, $0.levelDecibels) = (line.isListening, line.levelDecibels)
      }
    }
    for key in settings.keys { try? desk.set(key) }
    if isTalking, let key = talkKey { desk.set(key, latched: true) }
    told = record()
  }

  // MARK: Lines

  /// Makes a line that nobody in the group is on, and is on it.
  public mutating func makeLine(_ name: LineName) throws(LineError) {
    let names = allNames
    guard !names.contains(name) else { throw .lineExists(name) }
    // `all` is one more.
    guard names.count <= LineLimits.lines else { throw .tooManyLines }
    _ = try own.join(name)
    settle()
  }

  /// Is on a line of the group.
  public mutating func joinLine(_ name: LineName) throws(LineError) {
    guard let name = allNames.first(where: { $0 == name }) else { throw .noSuchLine(name) }
    if try own.join(name) { settle() }
  }

  /// Is on a line no more.
  public mutating func leaveLine(_ name: LineName) throws(LineError) {
    try own.leave(name)
    desk.settle(on: own.names)
    settle()
  }

  /// Whether a line is heard.
  public mutating func setListening(_ isOn: Bool, to name: LineName) throws(LineError) {
    try own.change(name) { $0.isListening = isOn }
    settle()
  }

  /// How loud a line is heard, −40 … 12 dB.
  public mutating func setLevel(_ decibels: Double, of name: LineName) throws(LineError) {
    guard LineLimits.levelDecibels.contains(decibels) else { throw .badLevel(decibels) }
    try own.change(name) { $0.levelDecibels = decibels }
    settle()
  }

  private var allNames: [LineName] {
    let own = own.names
    return own + directory.names.subtracting(own).sorted()
  }

  // MARK: Keys

  /// Sets a key.
  public mutating func setKey(_ key: Key) throws(LineError) {
    try desk.set(key)
    // It may take the place of a line's own key: a latch of that would come back with it, unseen till then.
    desk.settle(on: own.names)
    settle()
  }

  /// Removes a key that was set.
  public mutating func removeKey(_ name: KeyName) throws(LineError) {
    let key = try desk.key(name, on: own.names)
    try desk.remove(key.name)
    desk.settle(on: own.names)
    settle()
  }

  /// A finger goes down on a key; again by the same holder: it is still there.
  public mutating func press(
    _ name: KeyName, by holder: KeyHolder = .command, nowNanoseconds now: Int64
  ) throws(LineError) {
    let key = try desk.key(name, on: own.names)
    try desk.press(key, by: holder, on: own.names, nowNanoseconds: now)
    settle()
  }

  /// The finger goes up.
  public mutating func release(
    _ name: KeyName, by holder: KeyHolder = .command, nowNanoseconds now: Int64
  ) throws(LineError) {
    let key = try desk.key(name, on: own.names)
    if try desk.release(key, by: holder, nowNanoseconds: now) { turnListening(key) }
    settle()
  }

  /// A device or a page is there still; without that it holds nothing after a second.
  public mutating func renew(_ holder: Label, nowNanoseconds now: Int64) throws(LineError) {
    try desk.note(.device(holder), now)
  }

  /// Listens to a key's lines, or to none of them if it listens to all.
  private mutating func turnListening(_ key: Key) {
    let lines = key.lines.compactMap { own.line($0) }
    let isOn = !lines.allSatisfy(\.isListening)
    for line in lines { try? own.change(line.name) { $0.isListening = isOn } }
  }

  /// The key of the line `all`: that of this name, or another that is for nothing else.
  private var talkKey: Key? {
    let keys = desk.keys(on: own.names).filter { $0.lines == [.all] }
    return keys.first { $0.name == .all } ?? keys.first
  }

  /// Switches the key of the line `all`.
  public mutating func setTalk(_ isOn: Bool) throws(LineError) {
    guard let key = talkKey, key.activation.talks else { throw .noTalkKey(talkKey?.name ?? .all) }
    desk.set(key, latched: isOn)
    settle()
  }

  /// Whether the key of the line `all` is latched.
  public var isTalkLatched: Bool { talkKey.map { desk.state(of: $0.name).isLatched } ?? false }

  // MARK: Others

  /// A node is a member, for the first time or again.
  public mutating func admit(_ node: NodeID) {
    directory.admit(node)
    outbox.admit(node)
    revision += 1
  }

  /// It is one no more.
  public mutating func depart(_ node: NodeID) {
    directory.depart(node)
    outbox.depart(node)
    revision += 1
  }

  /// Takes a message of a member.
  ///
  /// - Throws: which rule it breaks; it is counted, and nothing of it is taken.
  public mutating func take(_ octets: [UInt8], of node: NodeID) throws(LineViolation) {
    do throws(LineViolation) {
      guard let message = try LineMessage(octets) else { return }
      if directory.take(message, of: node) { revision += 1 }
      if case .record(_, asks: true) = message { outbox.forget(node) }
    } catch {
      violations[error, default: 0] += 1
      throw error
    }
  }

  /// What is to be sent to members now; each ends with ``finish(_:isDelivered:nowNanoseconds:)``.
  public mutating func letters(nowNanoseconds now: Int64) -> [LineOutbox.Letter] {
    outbox.letters(
      of: told, linesCount: linesCount, knows: directory.knows, nowNanoseconds: now)
  }

  /// A message was acknowledged, or will not be.
  public mutating func finish(
    _ letter: LineOutbox.Letter, isDelivered: Bool, nowNanoseconds now: Int64
  ) {
    outbox.finish(letter, isDelivered: isDelivered, nowNanoseconds: now)
  }

  // MARK: Time

  /// When ``tick(nowNanoseconds:)`` has something to do; `max`: not before something else happens.
  public var nextDeadlineNanoseconds: Int64 {
    min(desk.nextDeadlineNanoseconds, outbox.nextDeadlineNanoseconds(of: told))
  }

  /// Lets go of what devices hold that are gone.
  public mutating func tick(nowNanoseconds now: Int64) {
    guard desk.nextDeadlineNanoseconds <= now else { return }
    desk.expire(on: own.names, nowNanoseconds: now)
    settle()
  }

  /// Something changed here: it is shown, and told where others see a difference.
  private mutating func settle() {
    revision += 1
    var next = record()
    guard
      (next.lines, next.talking, next.listening) != (told.lines, told.talking, told.listening)
    else { return }
    version.count += 1
    if next.lines != told.lines { linesCount = version.count }
    next.version = version
    told = next
  }

  private func record() -> LineRecord {
    let names = own.names
    let effect = desk.effect(on: names)
    var lines = own.byNumber.mapValues(\.name)
    lines[0] = nil
    return LineRecord(
      version: version, lines: lines, talking: own.set(of: effect.talks),
      listening: own.set(of: names.filter { listens(to: $0, effect) }))
  }

  private func listens(to name: LineName, _ effect: KeyDesk.Effect) -> Bool {
    guard let line = own.line(name) else { return false }
    let isMuted = effect.mutes.contains(name) || effect.isolates && !effect.talks.contains(name)
    return (line.isListening || effect.listens.contains(name)) && !isMuted
  }
}

/// What follows.
extension LineDesk {
  /// Whom the sound goes to, and of whom what is played.
  public var routing: LineRouting {
    let effect = desk.effect(on: own.names)
    var gains: [LineName: Float] = [:]
    // Once for all members: names may be slow to compare, and this follows each message.
    var numbers: [LineName: Int] = [:]
    for (number, line) in own.byNumber { numbers[line.name] = number }
    for line in own.byNumber.values where listens(to: line.name, effect) {
      gains[line.name] = Float(pow(10, line.levelDecibels / 20))
    }
    func member(_ record: LineRecord) -> LineRouting.Member {
      var addressed = LineSet.everyone
      for name in record.lines.values {
        if let number = numbers[name] { addressed.insert(line: number) }
      }
      return LineRouting.Member(
        addressed: addressed,
        gains: (0..<LineSet.capacity).map { number in
          record.line(number).flatMap { gains[$0] } ?? 0
        })
    }
    var routing = LineRouting()
    routing.talk = own.set(of: effect.talks)
    routing.tellsLines = own.byNumber.count > 1
    routing.others = member(LineRecord(version: version))
    for node in directory.members {
      let member = member(directory.record(of: node))
      if member != routing.others { routing.members[node] = member }
    }
    return routing
  }

  /// What is to be kept.
  public var settings: LineSettings {
    let lines = own.byNumber.values.sorted { $0.name < $1.name }
      .filter { $0.name != .all || !$0.isListening || $0.levelDecibels != 0 }
    return LineSettings(
      lines: lines.map {
        LineSettings.Line(
          name: $0.name, isListening: $0.isListening, levelDecibels: $0.levelDecibels)
      }, keys: desk.configured.values.sorted { $0.name < $1.name })
  }

  /// All lines of the group, `all` first; of more than may be those that this node is on, and the first others.
  public var lines: [LineView] {
    let effect = desk.effect(on: own.names)
    let all = directory.people
    return allNames.prefix(LineLimits.lines + 1).map { name in
      let people = all[name] ?? ([], [])
      let line = own.line(name)
      return LineView(
        name: name, isJoined: line != nil, isSetListening: line?.isListening ?? false,
        isListening: listens(to: name, effect), isTalking: effect.talks.contains(name),
        levelDecibels: line?.levelDecibels ?? 0, members: people.members,
        talkers: people.talkers)
    }
  }

  /// All keys, by name.
  public var keys: [KeyView] {
    let people = directory.people
    return desk.keys(on: own.names).map { key in
      let state = desk.state(of: key.name)
      return KeyView(
        key: key, isSet: desk.configured[key.name] != nil, isHeld: state.isHeld,
        isLatched: state.isLatched, isTalking: desk.talks(key),
        isListening: desk.listens(key)
          || key.lines.contains { own.line($0)?.isListening == true },
        talkers: Array(Set(key.lines.flatMap { people[$0]?.talkers ?? [] })).sorted())
    }
  }
}

/// A line as it is shown.
public struct LineView: Sendable, Hashable {
  /// What it is called.
  public let name: LineName
  /// Whether this node is on it.
  public let isJoined: Bool
  /// Whether the user wants to hear it.
  public let isSetListening: Bool
  /// Whether it is heard, keys considered.
  public let isListening: Bool
  /// Whether this node talks there.
  public let isTalking: Bool
  /// How loud it is heard.
  public let levelDecibels: Double
  /// Who else is on it.
  public let members: [NodeID]
  /// Who of them talks there.
  public let talkers: [NodeID]
}

/// A key as it is shown.
public struct KeyView: Sendable, Hashable {
  /// As it is set.
  public let key: Key
  /// Whether the user set it; else it comes with its line.
  public let isSet: Bool
  /// Whether a finger is on it.
  public let isHeld: Bool
  /// Whether it stays open.
  public let isLatched: Bool
  /// Whether it talks.
  public let isTalking: Bool
  /// Whether any of its lines is listened to.
  public let isListening: Bool
  /// Who talks on its lines.
  public let talkers: [NodeID]
}
