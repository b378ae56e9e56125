import Cryptography

/// Which member has to be told what of calls: each its own, the newest state, one message under way.
///
/// As with lines 250 ms pass between two messages to a member (``LineOutbox``).
struct CallOutbox {
  private struct Member {
    /// What it has; nil: that is not known.
    var told: CallContent? = CallContent()
    let admission: Int
    var turn = LetterTurn()
  }

  private let instance: UInt64
  private var count: UInt64 = 0
  private var members: [NodeID: Member] = [:]
  private var admissions = 0
  /// What members are to have; of others: nothing.
  private var contents: [NodeID: CallContent] = [:]
  /// Who has something else, or may have.
  private var owed: Set<NodeID> = []

  init(instance: UInt64) { self.instance = instance }

  mutating func admit(_ node: NodeID) {
    admissions += 1
    let former = members[node]
    var member = Member(admission: admissions, turn: LetterTurn(after: former?.turn))
    // Who was told something may have forgotten it, or not.
    if former.map({ $0.turn.isUnderWay || $0.told != CallContent() }) == true { member.told = nil }
    members[node] = member
    look(at: node)
  }

  mutating func depart(_ node: NodeID) {
    members[node] = nil
    owed.remove(node)
  }

  /// A member has nothing of this node.
  mutating func forget(_ node: NodeID) {
    guard let member = members[node], member.turn.isUnderWay || member.told != CallContent() else {
      return
    }
    // What is under way to it counts no more: it may have come before the member was known there.
    admissions += 1
    members[node] = Member(told: nil, admission: admissions, turn: member.turn.asked)
    look(at: node)
  }

  /// This is what members are to have from now on; who is not among them nothing.
  mutating func follow(_ contents: [NodeID: CallContent]) {
    let nodes = Set(contents.keys).union(self.contents.keys)
    self.contents = contents
    for node in nodes { look(at: node) }
  }

  private mutating func look(at node: NodeID) {
    guard let member = members[node] else { return }
    if member.told == contents[node] ?? CallContent() {
      owed.remove(node)
    } else {
      owed.insert(node)
    }
  }

  /// What may be sent now.
  mutating func letters(nowNanoseconds now: Int64) -> [LineOutbox.Letter] {
    var letters: [LineOutbox.Letter] = []
    for node in owed {
      guard let member = members[node], member.turn.isThere(nowNanoseconds: now) else { continue }
      let content = contents[node] ?? CallContent()
      count += 1
      members[node]?.turn.take(as: member.admission, nowNanoseconds: now)
      let version = LineVersion(instance: instance, count: count)
      letters.append(
        LineOutbox.Letter(
          node: node, octets: LineMessage.calls(version: version, content).octets,
          content: .calls(content), admission: member.admission))
    }
    return letters
  }

  /// A message was acknowledged, or will not be.
  mutating func finish(
    _ letter: LineOutbox.Letter, isDelivered: Bool, nowNanoseconds now: Int64
  ) {
    guard let member = members[letter.node], case .calls(let content) = letter.content else {
      return
    }
    members[letter.node]?.turn.end(letter.admission)
    if member.admission == letter.admission {
      members[letter.node]?.told = isDelivered ? content : nil
      if !isDelivered { members[letter.node]?.turn.fail(nowNanoseconds: now) }
    }
    look(at: letter.node)
  }

  /// When somebody may be told something that waits; `max`: never.
  var nextDeadlineNanoseconds: Int64 {
    owed.compactMap { members[$0]?.turn.nextNanoseconds }.min() ?? .max
  }
}
