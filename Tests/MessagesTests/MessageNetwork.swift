import Cryptography
import Messages
import TestKit
import Testing

/// Nodes with message desks and lanes between them, in virtual time: they go and come back, are killed at any write,
/// are cut from each other, and have clocks on the wall that are off by years.
final class MessageNetwork {
  /// A node that may be off.
  final class Node {
    let identity: TestIdentity
    let journal = ModelJournal()
    var desk: MessageDesk?
    var settings = MessageSettings()
    var starts: UInt64 = 0
    /// Off the others' clocks by so much.
    var wallOffsetMilliseconds: Int64
    /// The steady clock's beginning in this run.
    var steadyOffset: Int64 = 0
    var events: [MessageEvent] = []
    /// What it was told of lines last.
    var company: [LinePeople]?

    init(_ identity: TestIdentity, wallOffset: Int64) {
      self.identity = identity
      wallOffsetMilliseconds = wallOffset
    }

    /// Texts that came: whether each is to be spoken, and how old it was.
    var texts: [(text: String, isAloud: Bool, ageSeconds: UInt32)] {
      events.compactMap { event in
        guard case .text(let text, _, let isAloud, let age) = event else { return nil }
        return (text, isAloud, age)
      }
    }

    /// What its user was shown of a sender, in the order of its coming.
    func shown(of sender: NodeID) -> [UInt64] {
      journal.history.filter { $0.key.sender == sender }.map(\.key.sequence)
    }
  }

  private struct Frame {
    let octets: [UInt8]
    /// On the channel of files, which goes its own way.
    let isFile: Bool
    let dueNanoseconds: Int64
  }

  private struct Way: Hashable {
    let from: Int
    let to: Int
    var isFile = false
  }

  private struct Change {
    let of: MessageKey
    let by: Int
    let key: MessageKey
    let what: String?
    let isEdit: Bool
    let to: Set<NodeID>
  }

  private static let stepNanoseconds: Int64 = 20_000_000
  private static let latencyNanoseconds: Int64 = 30_000_000
  static let second: Int64 = 1_000_000_000

  private(set) var nodes: [Node] = []
  private(set) var nowNanoseconds: Int64 = 0
  private var frames: [Way: [Frame]] = [:]
  /// Who sees whom as a member.
  private var joined: Set<Way> = []
  /// Cut from each other.
  private var cut: Set<Way> = []
  /// Who is on which line.
  private(set) var lines: [LineTag: (name: String, nodes: Set<Int>)] = [:]
  /// What was spoken.
  private(set) var sounds: [MessageKey: [UInt8]] = [:]
  private var random: SplitMix64
  /// Edits and reactions as they were sent, with those they were for.
  private var changes: [Change] = []

  convenience init(count: Int, seed: UInt64, group: Group) throws {
    try self.init(count: count, seed: seed, groups: [group])
  }

  init(count: Int, seed: UInt64, groups: [Group]) throws {
    random = SplitMix64(seed: seed)
    for index in 0..<count {
      let years = Int64.random(in: -30...30, using: &random)
      nodes.append(
        Node(
          try TestIdentity(seed: seed &* 1000 &+ UInt64(index), groups: groups),
          wallOffset: years * 31_556_952_000))
    }
    for index in nodes.indices { try start(index) }
  }

  private func time(of index: Int) -> MessageTime {
    MessageTime(
      steadyNanoseconds: nowNanoseconds + nodes[index].steadyOffset,
      unixMilliseconds: 1_780_000_000_000 + nowNanoseconds / 1_000_000
        + nodes[index].wallOffsetMilliseconds)
  }

  // MARK: What happens to nodes

  func start(_ index: Int) throws {
    let node = nodes[index]
    node.starts += 1
    node.steadyOffset = Int64.random(in: 0..<Self.second * 86_400, using: &random) - nowNanoseconds
    node.desk = try MessageDesk(
      identity: node.identity, journal: node.journal, settings: node.settings,
      instance: node.starts, lineName: { $0.isEmpty ? nil : $0.lowercased() },
      now: time(of: index))
    node.company = nil
  }

  // MARK: Lines

  /// These are on a line from now on, and nobody else.
  func put(_ nodes: Set<Int>, on tag: LineTag, named name: String) {
    lines[tag] = (name, nodes)
  }

  /// Tells a node who of those whom it sees is on its lines.
  private func tellLines(_ index: Int) {
    let seen = Set(nodes.indices.filter { joined.contains(Way(from: index, to: $0)) })
    func ids(_ indices: Set<Int>) -> Set<NodeID> { Set(indices.map { nodes[$0].identity.id }) }
    var company: [LinePeople] = []
    for (tag, line) in lines where line.nodes.contains(index) {
      let others = line.nodes.subtracting([index])
      let isHidden = if case .hidden = tag { true } else { false }
      company.append(
        LinePeople(
          tag: tag, name: line.name, members: ids(others.intersection(seen)),
          roster: isHidden ? ids(others) : nil))
    }
    company.sort { $0.name < $1.name }
    guard company != nodes[index].company else { return }
    nodes[index].company = company
    nodes[index].desk?.follow(company, told: ids(seen), now: time(of: index))
    bury(index)
  }

  /// Off at once; what is under way to and from it is lost, or comes once more.
  func kill(_ index: Int) {
    nodes[index].desk = nil
    for other in nodes.indices where other != index { sever(index, other) }
  }

  func cut(_ one: Int, from other: Int) {
    cut.formUnion([Way(from: one, to: other), Way(from: other, to: one)])
    sever(one, other)
  }

  func mend() { cut = [] }

  private func sever(_ one: Int, _ other: Int) {
    for way in [Way(from: one, to: other), Way(from: other, to: one)] {
      // A lane that goes on hands over what it had.
      if random.chance(0.5) { frames[way] = nil }
      if random.chance(0.5) { frames[Way(from: way.from, to: way.to, isFile: true)] = nil }
      guard joined.remove(way) != nil else { continue }
      nodes[way.from].desk?.leave(nodes[way.to].identity.id, now: time(of: way.from))
    }
  }

  private func connect() {
    for one in nodes.indices {
      for other in nodes.indices where one != other {
        let way = Way(from: one, to: other)
        guard let desk = nodes[one].desk, nodes[other].desk != nil, !cut.contains(way),
          !joined.contains(way), random.chance(0.3)
        else { continue }
        joined.insert(way)
        desk.join(nodes[other].identity.id, now: time(of: one))
      }
    }
  }

  // MARK: Time

  func run(seconds: Double) {
    let end = nowNanoseconds + Int64(seconds * 1e9)
    while nowNanoseconds < end {
      connect()
      deliver()
      for index in nodes.indices { work(index) }
      let isQuiet = frames.values.allSatisfy(\.isEmpty)
      let step = isQuiet ? min(Self.second / 2, max(end - nowNanoseconds, 1)) : nil
      nowNanoseconds += step ?? Self.stepNanoseconds
    }
  }

  /// A long time in which nothing but waiting happens.
  func sleep(seconds: Int64) {
    let end = nowNanoseconds + seconds * Self.second
    while nowNanoseconds < end {
      nowNanoseconds = min(end, nowNanoseconds + 3600 * Self.second)
      run(seconds: 0.5)
    }
  }

  private func work(_ index: Int) {
    let node = nodes[index]
    guard let desk = node.desk else { return }
    let now = time(of: index)
    tellLines(index)
    guard node.desk != nil else { return }
    if desk.nextDeadlineNanoseconds <= now.steadyNanoseconds { desk.tick(now: now) }
    for id in desk.takeWoken().sorted() {
      guard let other = nodes.firstIndex(where: { $0.identity.id == id }) else { continue }
      let way = Way(from: index, to: other)
      while joined.contains(way), let octets = desk.next(for: id, now: now) {
        send(octets, on: way)
      }
    }
    for id in desk.takeWokenFiles().sorted() {
      guard let other = nodes.firstIndex(where: { $0.identity.id == id }) else { continue }
      while joined.contains(Way(from: index, to: other)), let octets = desk.nextFile(for: id) {
        send(octets, on: Way(from: index, to: other, isFile: true))
      }
    }
    node.events += desk.takeEvents()
    bury(index)
  }

  private func send(_ octets: [UInt8], on way: Way) {
    let jitter = Int64.random(in: 0..<Self.latencyNanoseconds, using: &random)
    let due = max(
      frames[way]?.last?.dueNanoseconds ?? 0, nowNanoseconds + Self.latencyNanoseconds + jitter)
    frames[way, default: []].append(
      Frame(octets: octets, isFile: way.isFile, dueNanoseconds: due))
  }

  private func deliver() {
    func order(_ way: Way) -> (Int, Int, Int) { (way.from, way.to, way.isFile ? 1 : 0) }
    for way in frames.keys.sorted(by: { order($0) < order($1) }) {
      while let frame = frames[way]?.first, frame.dueNanoseconds <= nowNanoseconds,
        let desk = nodes[way.to].desk, !cut.contains(Way(from: way.from, to: way.to))
      {
        // Not acknowledged, and said again by the same key.
        if !random.chance(0.05) { frames[way]?.removeFirst() }
        let sender = nodes[way.from].identity.id
        if frame.isFile {
          desk.takeFile(frame.octets, from: sender, now: time(of: way.to))
        } else {
          desk.take(frame.octets, from: sender, now: time(of: way.to))
        }
        bury(way.to)
      }
    }
  }

  /// Whoever was killed at a write is off.
  private func bury(_ index: Int) {
    if nodes[index].journal.isDead { kill(index) }
  }

  // MARK: What users do

  /// The message's key; nil: the node is off, refuses, or was killed meanwhile.
  func say(
    _ text: String, isAloud: Bool = false, from index: Int, to conversation: Conversation
  ) -> Message? {
    guard let desk = nodes[index].desk else { return nil }
    defer { bury(index) }
    return try? desk.say(text, isAloud: isAloud, to: conversation, now: time(of: index))
  }

  /// Another text; false: refused.
  @discardableResult func edit(_ message: Message, _ text: String, from index: Int) -> Bool {
    change(of: message.key, by: index, text, isEdit: true) { desk, now in
      try desk.edit(message.key.sequence, to: text, now: now)
    }
  }

  /// A sign; false: refused.
  @discardableResult func react(to message: Message, _ sign: String?, from index: Int) -> Bool {
    change(of: message.key, by: index, sign, isEdit: false) { desk, now in
      try desk.react(to: message.key, sign, now: now)
    }
  }

  private func change(
    of key: MessageKey, by index: Int, _ what: String?, isEdit: Bool,
    _ body: (MessageDesk, MessageTime) throws -> Void
  ) -> Bool {
    guard let desk = nodes[index].desk else { return false }
    defer { bury(index) }
    let (held, writes) = (nodes[index].journal.state.held.count, nodes[index].journal.writes)
    let isSent = (try? body(desk, time(of: index))) != nil
    // What a killed node wrote is sent though nobody was told.
    let journal = nodes[index].journal
    guard isSent || journal.writes > writes, journal.state.held.count > held else { return false }
    guard let sent = journal.state.held.last else { return false }
    changes.append(
      Change(
        of: key, by: index, key: sent.key, what: what, isEdit: isEdit,
        to: Set(sent.remaining).union([nodes[index].identity.id])))
    return isSent
  }

  /// The last edit or reaction of a node that was for another; 0: there was none.
  func lastChange(by node: NodeID, to other: NodeID) -> UInt64 {
    changes.filter { $0.key.sender == node && $0.to.contains(other) }.map(\.key.sequence).max()
      ?? 0
  }

  /// A node shows the last change of each that was for it.
  func expectChanges(of message: Message, at index: Int, _ seed: UInt64) {
    let journal = nodes[index].journal
    let id = nodes[index].identity.id
    let own = changes.filter { $0.of == message.key && $0.to.contains(id) }
    if let text = own.last(where: \.isEdit)?.what {
      let shown = journal.history.first { $0.key == message.key }?.content
      if case .text = message.content {
        #expect(shown == .text(text), "seed \(seed)")
      }
    }
    var signs: [NodeID: String] = [:]
    for change in own where !change.isEdit { signs[nodes[change.by].identity.id] = change.what }
    #expect(journal.signs(at: message) == signs, "seed \(seed)")
  }

  /// As ``say(_:from:to:)``, of so many octets of audio.
  func speak(_ byteCount: Int, from index: Int, to conversation: Conversation) -> Message? {
    guard let desk = nodes[index].desk else { return nil }
    defer { bury(index) }
    let file = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
    guard let audio = try? SealedAudio(file) else { return nil }
    let message = try? desk.send(
      audio, milliseconds: 1 + byteCount / 4, peaks: [1, 2, 3], to: conversation,
      now: time(of: index))
    if let message { sounds[message.key] = file }
    return message
  }

  /// A voice message as a node has it, opened; nil: it has not, or not whole.
  func sound(of message: Message, at index: Int) throws -> [UInt8]? {
    let found = nodes[index].journal.history.first { $0.key == message.key }
    guard case .voice(let clip)? = found?.content else { return nil }
    var file: [UInt8] = []
    for number in 0..<clip.attachment.pieceCount {
      guard let piece = try nodes[index].journal.piece(number, of: clip.attachment.name),
        let plain = clip.seal.open(
          piece, number: number, isLast: number == clip.attachment.pieceCount - 1)
      else { return nil }
      file += plain
    }
    return file
  }

  func read(_ index: Int, of sender: NodeID) {
    guard let last = nodes[index].shown(of: sender).last else { return }
    nodes[index].desk?.markRead(sender, upTo: last)
    bury(index)
  }
}
