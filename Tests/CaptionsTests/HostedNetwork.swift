import Cryptography
import TestKit
import Testing

@testable import Captions

/// A key that signs; shared, as a real one cannot be copied.
final class SessionTestKey: Sendable {
  private let key: NodeKey

  init(_ number: UInt64) throws {
    let octets = (0..<32).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * ($0 % 8))) }
    key = try NodeKey(seed: try unsafe SecretBytes(copying: octets.span.bytes))
  }

  var signer: CaptionSigner {
    CaptionSigner(key: key.publicKey) { [self] octets in
      try? unsafe key.signature(of: octets.span.bytes)
    }
  }
}

/// Nodes with hosted sessions and lanes between them, in virtual time: hosts and readers come and go, restart, are cut
/// from each other, and their lanes lose what was under way.
final class HostedNetwork {
  final class Node {
    let signer: CaptionSigner
    var sessions: HostedSessions?
    var starts: UInt64 = 0
    var steadyOffset: Int64 = 0
    var events: [HostedEvent] = []
    var id: NodeID { signer.node }

    init(_ signer: CaptionSigner) { self.signer = signer }

    var news: [SessionNews] {
      events.compactMap { event in
        if case .news(_, let news) = event { news } else { nil }
      }
    }

    func texts(_ session: CaptionSessionKey) -> [String] {
      (sessions?.transcript(of: session)?.chunks.values).map(Array.init)?.sorted {
        ($0.startMilliseconds, $0.index) < ($1.startMilliseconds, $1.index)
      }.map(\.text) ?? []
    }
  }

  private struct Way: Hashable {
    let from: Int
    let to: Int
  }

  static let second: Int64 = 1_000_000_000
  static let everywhere: Set<CaptionPlace> = [CaptionPlace(group: "crew", line: "all")]

  private(set) var nodes: [Node] = []
  private(set) var now: Int64 = 1_000_000_000_000
  private var frames: [Way: [(octets: [UInt8], due: Int64)]] = [:]
  private var joined: Set<Way> = []
  private var cut: Set<Way> = []
  private(set) var frameCount = 0
  private(set) var octetCount = 0
  var doubles = 0.0
  var failures = 0.0
  var random: SplitMix64

  init(count: Int, seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    for index in 0..<count {
      nodes.append(Node(try SessionTestKey(seed << 8 | UInt64(index)).signer))
    }
    for index in nodes.indices { start(index) }
  }

  func time(of index: Int) -> Int64 { now + nodes[index].steadyOffset }

  func start(_ index: Int) {
    let node = nodes[index]
    node.starts += 1
    node.steadyOffset = Int64.random(in: 0..<Self.second * 86_400, using: &random)
    node.sessions = HostedSessions(instance: node.starts, signer: node.signer)
    node.sessions?.follow(ownGroups: ["crew"], only: "crew")
  }

  func kill(_ index: Int) {
    nodes[index].sessions = nil
    for other in nodes.indices where other != index { sever(index, other) }
  }

  func cut(_ one: Int, from other: Int) {
    cut.formUnion([Way(from: one, to: other), Way(from: other, to: one)])
    sever(one, other)
  }

  func mend() { cut = [] }

  private func sever(_ one: Int, _ other: Int) {
    for way in [Way(from: one, to: other), Way(from: other, to: one)] {
      if random.chance(0.5) { frames[way] = nil }
      guard joined.remove(way) != nil else { continue }
      nodes[way.from].sessions?.leave(nodes[way.to].id, nowNanoseconds: time(of: way.from))
    }
  }

  private func connect() {
    for one in nodes.indices {
      for other in nodes.indices where one != other {
        let way = Way(from: one, to: other)
        guard nodes[one].sessions != nil, nodes[other].sessions != nil, !cut.contains(way),
          !joined.contains(way), random.chance(0.3)
        else { continue }
        joined.insert(way)
        nodes[one].sessions?.join(nodes[other].id, nowNanoseconds: time(of: one))
        nodes[one].sessions?.follow(nodes[other].id, hears: Self.everywhere, in: ["crew"])
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
    guard let deadline = node.sessions?.nextDeadlineNanoseconds else { return }
    if time >= deadline { node.sessions?.tick(nowNanoseconds: time) }
    node.events += node.sessions?.takeEvents() ?? []
    for other in node.sessions?.takeWoken() ?? [] {
      guard let to = nodes.firstIndex(where: { $0.id == other }) else { continue }
      send(from: index, to: to)
    }
  }

  private func send(from: Int, to: Int) {
    let node = nodes[from]
    while let octets = node.sessions?.next(for: nodes[to].id, nowNanoseconds: time(of: from)) {
      guard joined.contains(Way(from: from, to: to)), !random.chance(failures) else {
        node.sessions?.failed(nodes[to].id, nowNanoseconds: time(of: from))
        return
      }
      frameCount += 1
      octetCount += octets.count
      let due = now + Int64.random(in: 5_000_000...80_000_000, using: &random)
      for _ in 0...(random.chance(doubles) ? 1 : 0) {
        frames[Way(from: from, to: to), default: []].append((octets, due))
      }
    }
  }

  private func deliver() {
    for (way, waiting) in frames {
      let count = waiting.prefix { $0.due <= now }.count
      guard count > 0 else { continue }
      frames[way]?.removeFirst(count)
      for frame in waiting.prefix(count) { hand(frame.octets, from: way.from, to: way.to) }
    }
  }

  func hand(_ octets: [UInt8], from: Int, to: Int) {
    nodes[to].sessions?.take(octets, from: nodes[from].id, nowNanoseconds: time(of: to)) { _ in nil
    }
  }

  /// Somebody says something, in the ear of a host.
  @discardableResult
  func say(_ text: String, by talker: Int, at host: Int, isFinal: Bool = true) -> UInt32? {
    nodes[host].sessions?.open(
      CaptionTalker(node: nodes[talker].id, name: "talker \(talker)"), in: [],
      beganNanoseconds: time(of: host),
      CaptionWords(text, durationMilliseconds: 400, isFinal: isFinal))
  }

  func host(_ index: Int, _ name: String = "Show") throws -> CaptionSessionKey {
    let session = try nodes[index].sessions?.begin(
      SessionTitle(name: name, line: "all", isSolo: false), host: "desk \(index)",
      nowNanoseconds: time(of: index))
    return try #require(session)
  }

  func join(_ index: Int, _ session: CaptionSessionKey) throws {
    try nodes[index].sessions?.join(session: session, nowNanoseconds: time(of: index))
  }

  func resume(_ index: Int, _ session: CaptionSessionKey) throws {
    _ = try nodes[index].sessions?.resume(
      session, host: "desk \(index)", nowNanoseconds: time(of: index))
  }
}
