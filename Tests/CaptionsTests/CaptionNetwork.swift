import Captions
import Cryptography
import TestKit
import Testing

/// Nodes with desks of captions and lanes between them, in virtual time: they come and go, restart, are cut from each
/// other, and their lanes lose what was under way.
final class CaptionNetwork {
  /// A node that may be off.
  final class Node {
    let id: NodeID
    var desk: CaptionDesk?
    var starts: UInt64 = 0
    /// The steady clock's beginning in this run.
    var steadyOffset: Int64 = 0
    var events: [CaptionEvent] = []

    init(_ id: NodeID) { self.id = id }

    func transcript(_ key: CaptionSessionKey) -> [UInt32: CaptionChunk] {
      desk?.transcripts[key]?.chunks ?? [:]
    }
  }

  private struct Way: Hashable {
    let from: Int
    let to: Int
  }

  static let second: Int64 = 1_000_000_000
  /// On line all of a crew.
  static let everywhere: Set<CaptionPlace> = [CaptionPlace(group: "crew", line: "all")]

  private(set) var nodes: [Node] = []
  private(set) var now: Int64 = 1_000_000_000_000
  private var frames: [Way: [(octets: [UInt8], due: Int64)]] = [:]
  private var joined: Set<Way> = []
  private var cut: Set<Way> = []
  private(set) var frameCount = 0
  /// Frames of a lane that are doubled, as of one that goes on after a restart.
  var doubles = 0.0
  /// Frames that a lane does not take.
  var failures = 0.0
  var random: SplitMix64

  init(count: Int, seed: UInt64) {
    random = SplitMix64(seed: seed)
    for index in 0..<count {
      let octets = (0..<32).map { UInt8(truncatingIfNeeded: Int(seed) + 40 * index + $0) }
      guard let id = NodeID(octets: octets) else { continue }
      nodes.append(Node(id))
    }
    for index in nodes.indices { start(index) }
  }

  func time(of index: Int) -> Int64 { now + nodes[index].steadyOffset }

  func start(_ index: Int, refuses: Bool = false) {
    let node = nodes[index]
    node.starts += 1
    node.steadyOffset = Int64.random(in: 0..<Self.second * 86_400, using: &random)
    node.desk = CaptionDesk(own: node.id, instance: node.starts, refuses: refuses)
  }

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
      nodes[way.from].desk?.leave(nodes[way.to].id)
    }
  }

  private func connect() {
    for one in nodes.indices {
      for other in nodes.indices where one != other {
        let way = Way(from: one, to: other)
        guard nodes[one].desk != nil, nodes[other].desk != nil, !cut.contains(way),
          !joined.contains(way), random.chance(0.3)
        else { continue }
        joined.insert(way)
        nodes[one].desk?.join(nodes[other].id, nowNanoseconds: time(of: one))
        nodes[one].desk?.follow(nodes[other].id, hears: Self.everywhere)
      }
    }
  }

  func run(seconds: Double) {
    let end = now + Int64(seconds * 1e9)
    while now < end {
      connect()
      deliver()
      for index in nodes.indices { work(index) }
      now += 20_000_000
    }
  }

  private func work(_ index: Int) {
    let node = nodes[index]
    let time = time(of: index)
    guard let deadline = node.desk?.nextDeadlineNanoseconds else { return }
    if time >= deadline { node.desk?.tick(nowNanoseconds: time) }
    node.events += node.desk?.takeEvents() ?? []
    for other in node.desk?.takeWoken() ?? [] {
      guard let to = nodes.firstIndex(where: { $0.id == other }) else { continue }
      send(from: index, to: to)
    }
  }

  private func send(from: Int, to: Int) {
    let node = nodes[from]
    while let octets = node.desk?.next(for: nodes[to].id, nowNanoseconds: time(of: from)) {
      guard joined.contains(Way(from: from, to: to)), !random.chance(failures) else {
        node.desk?.failed(nodes[to].id, nowNanoseconds: time(of: from))
        return
      }
      frameCount += 1
      let due = now + Int64.random(in: 5_000_000...80_000_000, using: &random)
      for _ in 0...(random.chance(doubles) ? 1 : 0) {
        frames[Way(from: from, to: to), default: []].append((octets, due))
      }
    }
  }

  private func deliver() {
    for (way, waiting) in frames {
      // In order, as the lane is.
      let count = waiting.prefix { $0.due <= now }.count
      guard count > 0 else { continue }
      frames[way]?.removeFirst(count)
      for frame in waiting.prefix(count) { hand(frame.octets, from: way.from, to: way.to) }
    }
  }

  /// Gives a node what another would have said.
  func hand(_ octets: [UInt8], from: Int, to: Int) {
    nodes[to].desk?.take(octets, from: nodes[from].id, nowNanoseconds: time(of: to))
  }

  /// Somebody says something, in the ear of a captioner.
  func say(_ text: String, by talker: Int, at captioner: Int, isFinal: Bool = false) -> UInt32? {
    nodes[captioner].desk?.open(
      CaptionTalker(node: nodes[talker].id, name: "talker \(talker)", colourRGB: 0xFF8000),
      in: Self.everywhere, beganNanoseconds: time(of: captioner),
      CaptionWords(text, durationMilliseconds: 400, isFinal: isFinal))
  }

  func begin(_ captioner: Int) throws -> CaptionSessionKey {
    try nodes[captioner].desk?.begin("line all", nowNanoseconds: time(of: captioner))
    return try #require(nodes[captioner].desk?.ownSession)
  }
}
