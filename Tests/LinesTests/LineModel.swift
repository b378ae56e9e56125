import TestKit

@testable import Lines

/// Who hears whom, by what was pressed, latched, joined, called and cut: docs/lines.md and COMMS.md §B4 as one would
/// work them out by hand.
///
/// It shares no rule with the code and asks it nothing: nodes and lines are numbers, and what keys do is a table of its
/// own. All of it is so at once, as if nothing took time.
struct LineModel {
  /// What a key is for.
  enum Target: Hashable { case line(Int), member(Int), crew, reply, announcement, allLines }

  /// Who called: a node, for one alone or on a line.
  struct Caller: Hashable {
    let node: Int
    let line: Int?
  }

  /// What a key does: docs/lines.md, the table of `--activation`.
  private struct Deed {
    var (talks, listens, turnsListening, alwaysTalks, alwaysListens) = (
      false, false, false, false, false
    )

    init(_ activation: KeyActivation) {
      switch activation {
      case .talk: talks = true
      case .listen: (listens, turnsListening) = (true, true)
      case .talkAndListen: (talks, listens) = (true, true)
      case .dual: (talks, turnsListening) = (true, true)
      case .forceListen: alwaysListens = true
      case .talkForceListen: (talks, alwaysListens) = (true, true)
      case .forceTalkForceListen: (alwaysTalks, alwaysListens) = (true, true)
      }
    }
  }

  struct Key {
    var targets: [Target]
    var activation = KeyActivation.talk
    var latchMilliseconds = 200
    var interlock: Int?
    var listensWhileTalking = false
    var mutesWhileTalking = false
    var isolates = false
    var isReply: Bool { targets.contains(.reply) }
  }

  struct Finger: Hashable {
    var holders: Set<KeyHolder> = []
    var (isLatched, isSpent) = (false, false)
    var downNanoseconds: Int64 = 0
    var isOpen: Bool { isLatched || !holders.isEmpty && !isSpent }
    var isIdle: Bool { !isLatched && holders.isEmpty }
  }

  struct Node {
    var isAlive = true
    /// The lines that it is on, and whether it wants to hear them.
    var lines: [Int: Bool] = [0: true]
    var keys: [KeyName: Key] = [:]
    var fingers: [KeyName: Finger] = [:]
    /// What the pedal holds is let go of then.
    var pedalNanoseconds = Int64.max
    /// Whether a reply key is open, and whom it talks to.
    var isReplying = false
    var repliesTo: Caller?
  }

  /// What all keys of a node together do; lines by bits.
  struct Effect: Hashable {
    var (talks, hears): (UInt32, UInt32) = (0, 0)
    var (announces, toCrew) = (false, false)
    var members: Set<Int> = []
  }

  /// `all`, eight lines, two private ones.
  static let lines =
    [LineName.all] + (0..<8).map { LineTests.name("line \($0)") }
    + [LineTests.name("board"), LineTests.name("desk")]
  static let publicLines = 1..<9
  static let privateLines = 9..<11
  static let privateBits: UInt32 = 0b110_0000_0000
  /// The bits of a pair that are no lines: said to one alone, to the crew, to all.
  static let (aloneBit, crewBit, announcementBit): (UInt32, UInt32, UInt32) = (
    1 << 11, 1 << 12, 1 << 13
  )
  static let pedal = KeyHolder.device(LineTests.name("pedal"))
  static let leaseNanoseconds: Int64 = 1000 * LineNetwork.millisecond

  private(set) var nodes: [Node]

  init(nodes count: Int) { nodes = [Node](repeating: Node(), count: count) }

  /// Those who share the crew's secret.
  static func isCrew(_ node: Int) -> Bool { node % 2 == 0 }

  // MARK: Lines

  mutating func join(_ line: Int, _ node: Int) {
    if nodes[node].lines[line] == nil { nodes[node].lines[line] = true }
  }

  mutating func leave(_ line: Int, _ node: Int) {
    nodes[node].lines[line] = nil
    forgetKeys(of: node)
    for other in nodes.indices {
      guard let caller = nodes[other].repliesTo, caller.line == line,
        other == node || caller.node == node
      else { continue }
      endReply(other)
    }
  }

  mutating func listen(_ isOn: Bool, to line: Int, _ node: Int) {
    if nodes[node].lines[line] != nil { nodes[node].lines[line] = isOn }
  }

  // MARK: Keys

  /// The keys that were set, and one of its name for a line that has none; and one to answer calls.
  func keys(of node: Int) -> [KeyName: Key] {
    let node = nodes[node]
    let alone = Set(node.keys.values.filter { $0.targets.count == 1 }.map { $0.targets[0] })
    var keys = node.keys
    for line in node.lines.keys where !alone.contains(.line(line)) {
      let name = Self.lines[line]
      if keys[name] == nil { keys[name] = Key(targets: [.line(line)]) }
    }
    if !node.keys.values.contains(where: \.isReply) { keys[.reply] = Key(targets: [.reply]) }
    return keys
  }

  mutating func set(_ name: KeyName, _ key: Key?, of node: Int) {
    nodes[node].keys[name] = key
    if key == nil { nodes[node].fingers[name] = nil }
    forgetKeys(of: node)
  }

  private mutating func forgetKeys(of node: Int) {
    let keys = keys(of: node)
    nodes[node].fingers = nodes[node].fingers.filter { keys[$0.key] != nil }
  }

  mutating func press(_ name: KeyName, by holder: KeyHolder, _ node: Int, at now: Int64) {
    guard let key = keys(of: node)[name] else { return }
    if holder == Self.pedal { nodes[node].pedalNanoseconds = now + Self.leaseNanoseconds }
    var finger = nodes[node].fingers[name] ?? Finger()
    let (isEdge, wasOpen) = (finger.holders.isEmpty, isOpen(name, key, node))
    finger.holders.insert(holder)
    if isEdge {
      (finger.isSpent, finger.downNanoseconds) = (finger.isLatched, now)
      finger.isLatched = false
    }
    nodes[node].fingers[name] = finger
    if key.isReply, !wasOpen, nodes[node].repliesTo == nil { nodes[node].isReplying = false }
    guard isEdge, finger.isOpen, let group = key.interlock, Deed(key.activation).talks
    else { return }
    for (other, key) in keys(of: node) where other != name && key.interlock == group {
      close(other, node)
    }
  }

  /// It opens again by another press only.
  private mutating func close(_ name: KeyName, _ node: Int) {
    guard var finger = nodes[node].fingers[name] else { return }
    (finger.isLatched, finger.isSpent) = (false, !finger.holders.isEmpty)
    nodes[node].fingers[name] = finger.isIdle ? nil : finger
  }

  mutating func release(
    _ name: KeyName, by holder: KeyHolder, _ node: Int, at now: Int64, isLost: Bool = false
  ) {
    guard let key = keys(of: node)[name] else { return }
    if holder == Self.pedal, !isLost { hold(node, at: now) }
    guard var finger = nodes[node].fingers[name], finger.holders.remove(holder) != nil else {
      return
    }
    if finger.holders.isEmpty {
      let deed = Deed(key.activation)
      let held = now - finger.downNanoseconds
      if held < Int64(key.latchMilliseconds) * LineNetwork.millisecond, !finger.isSpent, !isLost {
        if deed.turnsListening {
          turnListening(key, node)
        } else {
          finger.isLatched = deed.talks
        }
      }
      finger.isSpent = false
    }
    nodes[node].fingers[name] = finger.isIdle ? nil : finger
  }

  private mutating func turnListening(_ key: Key, _ node: Int) {
    let own = lines(of: key, node)
    let isOn = !own.allSatisfy { nodes[node].lines[$0] == true }
    for line in own { nodes[node].lines[line] = isOn }
  }

  /// The pedal says that it is there.
  mutating func hold(_ node: Int, at now: Int64) {
    nodes[node].pedalNanoseconds = now + Self.leaseNanoseconds
  }

  /// Lets go of what a pedal held that was silent for a second; of which nodes.
  mutating func losePedals(at now: Int64) -> [Int] {
    nodes.indices.filter { node in
      guard nodes[node].pedalNanoseconds <= now else { return false }
      nodes[node].pedalNanoseconds = .max
      for name in Array(nodes[node].fingers.keys) {
        release(name, by: Self.pedal, node, at: now, isLost: true)
      }
      return true
    }
  }

  /// The key for line `all` alone.
  func allKey(of node: Int) -> (name: KeyName, talks: Bool)? {
    let own = keys(of: node).filter { $0.value.targets == [.line(0)] }
    let name = own[.all] != nil ? .all : own.keys.min()
    return name.flatMap { name in
      own[name].map { (name, Deed($0.activation).talks) }
    }
  }

  /// `comlink talk on|off`.
  mutating func setTalk(_ isOn: Bool, _ node: Int) {
    guard let name = allKey(of: node)?.name else { return }
    var finger = nodes[node].fingers[name] ?? Finger()
    (finger.isLatched, finger.isSpent) = (isOn, !finger.holders.isEmpty)
    nodes[node].fingers[name] = finger.isIdle ? nil : finger
  }

  /// `comlink mic-kill`.
  mutating func releaseLatches(_ node: Int) {
    for name in Array(nodes[node].fingers.keys) {
      nodes[node].fingers[name]?.isLatched = false
      if nodes[node].fingers[name]?.isIdle == true { nodes[node].fingers[name] = nil }
    }
  }

  // MARK: Replies

  /// Whether a reply key opened that talks to nobody yet; whoever is shown as the latest caller is to be given then.
  mutating func wantsCaller(_ node: Int) -> Bool {
    // One that was open for something else and is set anew beside another that talks to nobody.
    if nodes[node].isReplying, nodes[node].repliesTo == nil { closeReplyKeys(of: node) }
    let keys = keys(of: node)
    guard keys.contains(where: { $0.value.isReply && isOpen($0.key, $0.value, node) }) else {
      (nodes[node].isReplying, nodes[node].repliesTo) = (false, nil)
      return false
    }
    return !nodes[node].isReplying
  }

  mutating func reply(_ node: Int, to caller: Caller?) {
    (nodes[node].isReplying, nodes[node].repliesTo) = (true, caller)
    if caller == nil { endReply(node) }
  }

  /// Who is answered is gone: what was for that alone closes, and nobody else is talked to.
  mutating func endReply(_ node: Int) {
    nodes[node].repliesTo = nil
    closeReplyKeys(of: node)
    _ = wantsCaller(node)
  }

  /// What is for replies alone and talks to nobody is closed.
  private mutating func closeReplyKeys(of node: Int) {
    for (name, key) in keys(of: node) where key.targets == [.reply] { close(name, node) }
  }

  // MARK: Kills and cuts

  /// Nobody is answered across a cut.
  mutating func cut(_ one: Int, _ other: Int) {
    if nodes[one].repliesTo?.node == other { endReply(one) }
    if nodes[other].repliesTo?.node == one { endReply(other) }
  }

  /// Keys and lines are kept, fingers and latches are not, but for that of `all`.
  mutating func kill(_ node: Int) -> Bool {
    let isTalking = allKey(of: node).map { nodes[node].fingers[$0.name]?.isLatched == true }
    (nodes[node].isAlive, nodes[node].fingers) = (false, [:])
    (nodes[node].pedalNanoseconds, nodes[node].isReplying) = (.max, false)
    nodes[node].repliesTo = nil
    return isTalking ?? false
  }

  mutating func revive(_ node: Int, isTalking: Bool) {
    nodes[node].isAlive = true
    if isTalking { setTalk(true, node) }
  }

  // MARK: What follows

  private func lines(of key: Key, _ node: Int) -> [Int] {
    if key.targets.contains(.allLines) { return Array(nodes[node].lines.keys) }
    return key.targets.compactMap { target in
      if case .line(let line) = target, nodes[node].lines[line] != nil { line } else { nil }
    }
  }

  func isOpen(_ name: KeyName, _ key: Key, _ node: Int) -> Bool {
    let deed = Deed(key.activation)
    return deed.alwaysTalks || deed.talks && nodes[node].fingers[name]?.isOpen == true
  }

  func effect(of node: Int) -> Effect {
    var effect = Effect()
    guard nodes[node].isAlive else { return effect }
    var (listens, mutes, isolates): (UInt32, UInt32, Bool) = (0, 0, false)
    for (name, key) in keys(of: node) {
      let (deed, isTalking) = (Deed(key.activation), isOpen(name, key, node))
      let own = lines(of: key, node).reduce(0) { $0 | UInt32(1) << UInt32($1) }
      if deed.alwaysListens || deed.listens && nodes[node].fingers[name]?.isOpen == true
        || key.listensWhileTalking && isTalking
      {
        listens |= own
      }
      guard isTalking else { continue }
      effect.talks |= own
      if key.mutesWhileTalking { mutes |= own }
      if key.isolates { isolates = true }
      talk(to: key.targets, node, &effect)
    }
    for (line, wants) in nodes[node].lines {
      let bit = UInt32(1) << UInt32(line)
      if (wants || listens & bit != 0) && mutes & bit == 0
        && !(isolates && effect.talks & bit == 0)
      {
        effect.hears |= bit
      }
    }
    return effect
  }

  private func talk(to targets: [Target], _ node: Int, _ effect: inout Effect) {
    for target in targets {
      switch target {
      case .member(let member): effect.members.insert(member)
      case .crew: if Self.isCrew(node) { effect.toCrew = true }
      case .announcement: effect.announces = true
      case .line, .allLines: break
      case .reply:
        guard let caller = nodes[node].repliesTo else { continue }
        if let line = caller.line {
          effect.talks |= UInt32(1) << UInt32(line)
        } else {
          effect.members.insert(caller.node)
        }
      }
    }
  }

  /// By which ways one who can be reached hears the other: lines, and the bits above.
  static func ways(_ listener: Int, _ its: Effect, _ talker: Effect) -> UInt32 {
    var ways = its.hears & talker.talks
    if talker.members.contains(listener) { ways |= aloneBit }
    if talker.toCrew, isCrew(listener) { ways |= crewBit }
    if talker.announces { ways |= announcementBit }
    return ways
  }
}
