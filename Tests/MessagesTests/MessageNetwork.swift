import Cryptography
import Messages
import TestKit

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

    init(_ identity: TestIdentity, wallOffset: Int64) {
      self.identity = identity
      wallOffsetMilliseconds = wallOffset
    }

    /// What its user was shown of a sender, in the order of its coming.
    func shown(of sender: NodeID) -> [UInt64] {
      journal.history.filter { $0.key.sender == sender }.map(\.key.sequence)
    }
  }

  private struct Frame {
    let octets: [UInt8]
    let dueNanoseconds: Int64
  }

  private struct Way: Hashable {
    let from: Int
    let to: Int
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
  private var random: SplitMix64

  init(count: Int, seed: UInt64, group: Group) throws {
    random = SplitMix64(seed: seed)
    for index in 0..<count {
      let years = Int64.random(in: -30...30, using: &random)
      nodes.append(
        Node(
          try TestIdentity(seed: seed &* 1000 &+ UInt64(index), groups: [group]),
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
      instance: node.starts, now: time(of: index))
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
      for index in nodes.indices { work(index) }
      deliver()
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
    if desk.nextDeadlineNanoseconds <= now.steadyNanoseconds { desk.tick(now: now) }
    for id in desk.takeWoken().sorted() {
      guard let other = nodes.firstIndex(where: { $0.identity.id == id }) else { continue }
      let way = Way(from: index, to: other)
      while joined.contains(way), let octets = desk.next(for: id, now: now) {
        let jitter = Int64.random(in: 0..<Self.latencyNanoseconds, using: &random)
        let due = max(
          frames[way]?.last?.dueNanoseconds ?? 0,
          nowNanoseconds + Self.latencyNanoseconds + jitter)
        frames[way, default: []].append(Frame(octets: octets, dueNanoseconds: due))
      }
    }
    node.events += desk.takeEvents()
    bury(index)
  }

  private func deliver() {
    for way in frames.keys.sorted(by: { ($0.from, $0.to) < ($1.from, $1.to) }) {
      while let frame = frames[way]?.first, frame.dueNanoseconds <= nowNanoseconds,
        let desk = nodes[way.to].desk, !cut.contains(way)
      {
        // Not acknowledged, and said again by the same key.
        if !random.chance(0.05) { frames[way]?.removeFirst() }
        desk.take(frame.octets, from: nodes[way.from].identity.id, now: time(of: way.to))
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
  func say(_ text: String, from index: Int, to conversation: Conversation) -> Message? {
    guard let desk = nodes[index].desk else { return nil }
    defer { bury(index) }
    return try? desk.say(text, to: conversation, now: time(of: index))
  }

  func read(_ index: Int, of sender: NodeID) {
    guard let last = nodes[index].shown(of: sender).last else { return }
    nodes[index].desk?.markRead(sender, upTo: last)
    bury(index)
  }
}
