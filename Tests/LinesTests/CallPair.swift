import Cryptography

@testable import Lines

/// Three nodes that are members of each other, whose words arrive when ``post()`` is called.
struct CallPair {
  static let second: Int64 = 1_000_000_000
  static let nodes = (0..<3).map(LineTests.node)

  var desks = (0..<3).map { _ in LineDesk(instance: 1, isTalking: false) }
  var now: Int64 = second

  init() {
    for one in 0..<3 {
      desks[one].follow(ownNode: Self.nodes[one])
      for other in 0..<3 where other != one { desks[one].admit(Self.nodes[other]) }
      desks[one].follow(called: [
        Self.nodes[0]: "anna", Self.nodes[1]: "bert", Self.nodes[2]: "carl",
      ])
    }
    post()
  }

  /// Everybody hears what the others have to say; it takes no more than half a second.
  mutating func post() {
    for _ in 0..<2 {
      now += Self.second / 4
      for one in desks.indices {
        for letter in desks[one].letters(nowNanoseconds: now) {
          let other = Self.nodes.firstIndex(of: letter.node) ?? 0
          try? desks[other].take(letter.octets, of: Self.nodes[one], nowNanoseconds: now)
          desks[one].finish(letter, isDelivered: true, nowNanoseconds: now)
        }
      }
    }
  }

  /// Time passes, with all that is due.
  mutating func wait(seconds: Double) {
    let end = now + Int64(seconds * Double(Self.second))
    while now < end {
      now = min(end, now + Self.second / 4)
      for one in desks.indices { desks[one].tick(nowNanoseconds: now) }
    }
    post()
  }

  mutating func tap(_ node: Int, _ key: KeyName) throws {
    try desks[node].press(key, nowNanoseconds: now)
    try desks[node].release(key, nowNanoseconds: now)
  }

  mutating func call(_ node: Int, _ other: Int, holder: Label? = nil) throws {
    try desks[node].call(.member(Self.nodes[other]), holder: holder, nowNanoseconds: now)
    post()
  }

  /// The reply stack of a node: who rings in capitals, who only can be answered in small letters, `*` who is answered.
  func stack(_ node: Int) -> String {
    desks[node].calls.incoming.map { call in
      let name = ["a", "b", "c"][Self.nodes.firstIndex(of: call.origin.node) ?? 0]
      let star = call.origin == desks[node].calls.answering ? "*" : ""
      let line = call.origin.line.map { "@\($0)" } ?? ""
      return (call.isRinging ? name.uppercased() : name) + line + star
    }.joined(separator: " ")
  }

  /// Who hears a node by a stream that nobody else hears.
  func heardAlone(_ node: Int) -> Set<NodeID> {
    let talking = desks[node].routing.audiences
    return desks[node].audiences.filter { talking.contains($0.audience) }
      .reduce(into: []) { $0.formUnion($1.listeners) }
  }
}
